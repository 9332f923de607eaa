#!/usr/bin/env python3
"""Writes what Python's Jinja2 makes of the chat templates of the tests, set up as
transformers does it, to expected.json beside them. Needs jinja2 (3.1). Argument: a folder of other
templates, for -Dheadway.chatTemplates=DIR."""

import datetime
import json
import pathlib
import sys

import jinja2
import jinja2.ext
import jinja2.sandbox

FOLDER = pathlib.Path(__file__).parent.parent / "sdk-serving/src/test/resources/chat"
TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}


def said(*texts):
    roles = {"s": "system", "u": "user", "a": "assistant"}
    return [{"role": roles[text[0]], "content": text[2:]} for text in texts]


CONVERSATIONS = [
    said("u:Hi <b>\"you\"</b> & 'me', é 日本\U0001f600"),
    said("s:  Be  kind. \n", "u:Hello\n"),
    said("s:Be kind.", "u:Hi", "a:Yes?", "u: Bye "),
    said("u:Hi", "a:<think>\nhm\n\n</think>\n\n    code\n", "u:{{ 1 }} {% x %}"),
    said("u:a", "a:b", "u:c", "a:<think>q</think> d"),
    said("u:", "u:two\u00a0"),
    said("s:x", "u:\t<think>no</think>\n"),
    said("s:Only a system."),
]


class Generation(jinja2.ext.Extension):
    """The tag around what an assistant says; it writes nothing of its own."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def environment():
    def refuse(message):
        raise jinja2.exceptions.TemplateError(message)

    def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(
            value,
            ensure_ascii=ensure_ascii,
            indent=indent,
            separators=separators,
            sort_keys=sort_keys,
        )

    made = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    made.filters["tojson"] = tojson
    made.globals["raise_exception"] = refuse
    made.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)
    return made


def prompt(template, messages):
    """The prompt, or None if the template does not take the messages."""
    try:
        return template.render(
            messages=messages, tools=None, documents=None, add_generation_prompt=True, **TOKENS
        )
    except (jinja2.exceptions.TemplateError, TypeError):
        return None


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    templates = {}
    for file in sorted(folder.glob("*.jinja")):
        template = environment().from_string(file.read_text(encoding="utf-8"))
        templates[file.name] = [prompt(template, messages) for messages in CONVERSATIONS]
    expected = {"tokens": TOKENS, "conversations": CONVERSATIONS, "prompts": templates}
    text = json.dumps(expected, ensure_ascii=True, indent=1) + "\n"
    (folder / "expected.json").write_text(text, encoding="utf-8")


main()
