selfmade init
cat > shop.py <<'PYTHON'
import selfmade

@selfmade.function
def price(item: str) -> int:
    """Look up a price."""
    return {"tea": 3, "cake": 5}[item]
PYTHON
selfmade fn add shop.py --name shop.price
selfmade fn add shop.py --name internal.price
token=$(selfmade token add till --role runner --only 'shop.*')
selfmade start
url=$(selfmade status --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["url"])')/api/v1

call() {
    curl --silent --header "Authorization: Bearer $token" --header 'Content-Type: application/json' "$@"
    echo
}
start() {
    call "$url/runs" -d "{\"function\": \"$1\", \"input\": {\"item\": \"tea\"}}"
}
start shop.price | python3 -c 'import json, sys; print(json.load(sys.stdin)["output"])'
start internal.price | python3 -c 'import json, sys; print(json.load(sys.stdin)["error"]["code"])'
call "$url/functions" | python3 -c 'import json, sys; print([one["name"] for one in json.load(sys.stdin)["items"]])'
call -X DELETE "$url/functions/shop.price" | python3 -c 'import json, sys; print(json.load(sys.stdin)["error"]["code"])'
selfmade stop
