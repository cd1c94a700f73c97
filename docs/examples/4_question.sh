selfmade init
cat > deploy.py <<'PYTHON'
import selfmade

@selfmade.function
def deploy(version: str) -> str:
    """Deploy a version once a person agrees."""
    from selfmade import ask
    if ask(f"Deploy {version}?", options=["yes", "no"]) == "no":
        return "kept the old one"
    return f"deployed {version}"
PYTHON
selfmade fn add deploy.py
selfmade start
run=$(selfmade run deploy 2.0 --queue)
until selfmade runs list --state waiting --json | grep -q "$run"; do sleep 0.2; done
selfmade runs answer "$run" yes
until selfmade runs list --state succeeded --json | grep -q "$run"; do sleep 0.2; done
selfmade runs show "$run" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["output"])'
selfmade stop
