import selfmade


@selfmade.function(
    model=True,
    tests=[
        {
            "input": {"prompt": "Tides", "role": "You are a poet."},
            "mocks": [
                {"function": "model.complete", "output": {"choices": [{"message": {"content": "The sea breathes."}}]}}
            ],
            "expect": {"output": "The sea breathes."},
        }
    ],
)
def say(prompt: str, role: str) -> str:
    """Let the language model answer in a role."""
    from selfmade import model

    messages = [{"role": "system", "content": role}, {"role": "user", "content": prompt}]
    answer = model.complete({"model": "gpt-4o-mini", "messages": messages})
    return answer["choices"][0]["message"]["content"]
