selfmade init
cat > bill.py <<'PYTHON'
import selfmade

@selfmade.function
def bill(order: dict) -> str:
    """Write a bill for an order."""
    return f"{order['customer']} owes {order['total']}"
PYTHON
selfmade fn add bill.py
printf 'a-long-secret-of-the-shop' | selfmade secret set SHOP
selfmade trigger add large_orders bill --on webhook.received --source orders --secret SHOP \
    --condition 'event.data.total > 100' --arg 'order={{ event.data }}'
selfmade start
url=$(selfmade trigger show large_orders --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["webhook"])')

deliver() {
    id=$1 at=$(date +%s) body=$2
    signature=$(printf %s "$id.$at.$body" | openssl dgst -sha256 -hmac 'a-long-secret-of-the-shop' -binary | base64)
    curl --silent --output /dev/null --write-out '%{http_code}\n' "$url" -d "$body" \
        -H "webhook-id: $id" -H "webhook-timestamp: $at" -H "webhook-signature: v1,${3:-$signature}" \
        -H "Content-Type: application/json"
}
deliver first '{"customer": "Ada", "total": 250}'
deliver second '{"customer": "Bob", "total": 5}'
deliver third '{"customer": "Eve", "total": 900}' forged

until selfmade runs list bill --state succeeded --json | grep -q run_id; do sleep 0.2; done
selfmade trigger firings large_orders
run=$(selfmade runs list bill --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["runs"][0]["run_id"])')
selfmade runs show "$run" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["output"])'
selfmade stop
