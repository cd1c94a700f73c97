selfmade init
cat > report.py <<'PYTHON'
import selfmade

@selfmade.function
def report(city: str) -> str:
    """Write the morning report."""
    return f"Good morning, {city}!"
PYTHON
selfmade fn add report.py
selfmade schedule add morning report '30 8 * * MON-FRI' --zone Europe/Vienna --arg city=Vienna --missed once
selfmade schedule show morning --next 1 --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["content"]["zone"])'
selfmade schedule run morning
selfmade schedule pause morning
selfmade schedule resume morning
selfmade schedule list
