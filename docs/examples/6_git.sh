selfmade init
cat > greet.py <<'PYTHON'
import selfmade

@selfmade.function(tests=[{"input": {"name": "Ada"}, "expect": {"output": "Hello, Ada."}}])
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello, {name}."
PYTHON
selfmade fn add greet.py
selfmade export brain
git init --quiet brain
git -C brain add --all
git -C brain -c user.name=Ada -c user.email=ada@example.org commit --quiet --message 'greet politely'
sed -i 's/Hello/Good day/g' brain/functions/greet.py
git -C brain diff --stat
selfmade import brain
selfmade run greet Ada
git -C brain checkout --quiet .
sed -i '/return/s/Hello/Bye/' brain/functions/greet.py
selfmade import brain || echo 'its test keeps it out'
selfmade run greet Ada
