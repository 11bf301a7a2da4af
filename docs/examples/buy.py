"""Buys one answer: python3 buy.py URL NODE TOKEN MOST, the latter in the smallest unit of the token."""
import base64, json, sys, urllib.error, urllib.request

url, node, token, most = sys.argv[1:]


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):  # whoever gets the proof can use it
        return None


def ask(url, headers={}, data=None):
    try:
        answer = urllib.request.build_opener(Stay).open(urllib.request.Request(url, data, headers))
    except urllib.error.HTTPError as refused:
        answer = refused
    return answer.status, answer.headers, answer.read()


status, headers, body = ask(url)
if status == 402:
    required = json.loads(base64.b64decode(headers["PAYMENT-REQUIRED"]))
    fits = lambda one: one["scheme"] == "channel" and one["asset"].lower() == token.lower()
    offer = next((one for one in required["accepts"] if fits(one) and int(one["amount"]) <= int(most)), None)
    if offer is None:
        sys.exit("it costs more, or is not sold for this token over channels")
    extra = offer["extra"]
    order = {"amount": offer["amount"], "identifier": extra["paymentId"]}
    # Under one key the node pays once, however often it is asked.
    sent = {"Content-Type": "application/json", "Idempotency-Key": f"x402-{extra['tag']}"}
    place = f"{node}/api/v1/payments/{offer['asset']}/{offer['payTo']}"
    status, _, told = ask(place, sent, json.dumps(order).encode())
    if status != 200:
        sys.exit(f"not paid: {told.decode()}")
    paid = json.loads(told)
    payload = {"payer": paid["initiator_address"], "paymentId": extra["paymentId"], "secret": paid["secret"]}
    proof = {**required, "accepted": offer, "payload": payload}
    header = base64.b64encode(json.dumps({k: v for k, v in proof.items() if k not in ("accepts", "error")}).encode())
    status, headers, body = ask(url, {"PAYMENT-SIGNATURE": header.decode()})
    if status >= 300:
        print(f"paid; ask again with the header PAYMENT-SIGNATURE: {header.decode()}", file=sys.stderr)
sys.stdout.buffer.write(body)
sys.exit(0 if status < 300 else f"the server answers {status}")
