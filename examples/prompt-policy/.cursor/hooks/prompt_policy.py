#!/usr/bin/env python3
"""Keeps customer data out of prompts, and files outside of the workspace out of attachments.

Messages name the kind and the lines of what was found, and never repeat the value.
"""

import re
import unicodedata

from holdfast_hooks import deny, hook, is_inside_workspace


def is_card(text):
    """The Luhn checksum, which nine out of ten numbers that only look like a card fail."""
    digits = [int(char) for char in reversed(re.sub(r"\D", "", text))]
    doubled = [sum(divmod(digit * 2, 10)) for digit in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1


def is_iban(text):
    """The IBAN checksum: the first four characters move to the end, letters become numbers, modulo 97 is 1."""
    plain = text.replace(" ", "")
    return int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1


# The kind, its form, a check of each match, and the number of different values that counts.
RULES = [
    ("a payment card number", r"(?<![\d.-])\d(?:[ -]?\d){12,18}(?![\d-]|\.\d)", is_card, 1),
    ("an account number (IBAN)", r"\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?\b", is_iban, 1),
    ("a social security number", r"\b(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}\b", None, 1),
    ("a list of e-mail addresses", r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+", None, 5),
]


@hook.on("beforeSubmitPrompt")
def policy(payload):
    # Invisible characters must not hide a value.
    text = unicodedata.normalize("NFKC", payload["prompt"])
    text = "".join(char for char in text if unicodedata.category(char) != "Cf")
    reasons = []
    for name, pattern, check, at_least in RULES:
        found = [match for match in re.finditer(pattern, text) if check is None or check(match[0])]
        if len({match[0] for match in found}) >= at_least:
            lines = sorted({text.count("\n", 0, match.start()) + 1 for match in found})
            reasons.append(f"{name} in line {', '.join(map(str, lines))}")
    for attachment in payload["attachments"]:
        path = attachment.get("file_path")
        if not isinstance(path, str) or not is_inside_workspace(payload, path):
            reasons.append(f"the attachment {path}, which is outside of the workspace")
    if reasons:
        return deny("Not sent. Remove this and send it again:\n" + "\n".join(f"- {reason}" for reason in reasons))


hook.run()
