import selfmade


@selfmade.function(requirements=["pandas"], timeout=60)
def clean(csv: str) -> list[dict]:
    """Clean up a table: trimmed texts, no empty or repeated rows, sorted by name."""
    import io

    import pandas

    table = pandas.read_csv(io.StringIO(csv), skipinitialspace=True)
    table["name"] = table["name"].str.strip()
    table = table.dropna().drop_duplicates().sort_values("name")
    return table.to_dict(orient="records")


if __name__ == "__main__":
    for row in clean("name, age, city\n Grace , 85, New York\nAda, 36, London\nAda, 36, London\n"):
        print(row)
