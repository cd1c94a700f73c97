token=$(selfmade token add debugger --role runner)
selfmade start
url=$(selfmade status --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["url"])')/api/v1
call() {
    curl --silent --header "Authorization: Bearer $token" --header 'Content-Type: application/json' "$@"
}
field() {
    python3 -c "import json, sys; print(json.load(sys.stdin)$1)"
}

run=$(call "$url/runs" -d '{"function": "longest_word", "input": {"text": "a graph has nodes"},
    "graph": {"breakpoints": {"nodes": ["choose"]}}}' | field '["run_id"]')
call "$url/runs/$run/held" | field '[0]["node"]["node"]'
call "$url/runs/$run/release" -d '{"node": "choose", "value": {"measured": [{"word": "other", "length": 9}]}}'
until [ "$(call "$url/runs/$run" | field '["state"]')" = succeeded ]; do sleep 0.2; done
call "$url/runs/$run" | field '["output"]'

call "$url/runs" -d '{"function": "longest_word", "input": {"text": "a graph has nodes"},
    "graph": {"pinned": {"split": {"output": [["pinned", "words"]]}}}}' | field '["output"]'

run=$(call "$url/runs" -d '{"function": "longest_word", "input": {"text": ""}}' | field '["run_id"]')
call "$url/runs/$run/resume" | field '["repeated"][0]["node"]'
call "$url/runs/$run/resume" -d '{"newer": true}' | field '["how"]["graph"]["resumes"]' | grep -q "$run" && echo resumed
selfmade stop
