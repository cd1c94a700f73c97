selfmade init
cat > order.py <<'PYTHON'
import selfmade

@selfmade.function(timout=5)
def total(prices: list[float]) -> float:
    """Add up prices."""
    return str(sum(prices))
PYTHON
selfmade fn add order.py || sed -i 's/timout/timeout/' order.py
selfmade fn add order.py
selfmade run totl '[1, 2]' || true
selfmade run total many || true
selfmade run total '[1, 2.5]'
selfmade trigger add large total --source total --condition 'event.outptu.sum > 100'
selfmade trigger test large --on run.finished --source total --data '{"output": 7}'
selfmade schedule add nightly total '61 * * * *' || true
