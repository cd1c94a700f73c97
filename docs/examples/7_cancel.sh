selfmade init
cat > count.py <<'PYTHON'
import selfmade

@selfmade.function(timeout=600)
def count() -> None:
    """Count for ten minutes."""
    import time
    for second in range(600):
        print("second", second, flush=True)
        time.sleep(1)
PYTHON
selfmade fn add count.py
selfmade start
run=$(selfmade run count --queue)
until selfmade runs list --state running --json | grep -q "$run"; do sleep 0.2; done
selfmade runs cancel "$run"
until selfmade runs list --state cancelled --json | grep -q "$run"; do sleep 0.2; done
selfmade runs list count
selfmade stop
