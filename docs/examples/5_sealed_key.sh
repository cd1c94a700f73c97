selfmade init
printf 'sk-live-0123456789' | selfmade secret set PAYMENTS --host api.payments.example
cat > pay.py <<'PYTHON'
import selfmade

@selfmade.function(secrets=["PAYMENTS"], network=["api.payments.example"])
def key_of_payments() -> bool:
    """Say whether the function can see the key that it sends."""
    from selfmade import secrets
    return "0123456789" in secrets.PAYMENTS
PYTHON
selfmade fn add pay.py
selfmade run key_of_payments
selfmade secret list
