import selfmade


@selfmade.function
def tell(text: str) -> None:
    """Tell us in Slack, by the pack `notify`."""
    send_slack(text)
