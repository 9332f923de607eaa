package dev.headway.clients;

/** What a client may ask a server for: a row of the site's page of clients. */
public enum Feature {
  MODELS("list of models"),
  COMPLETION("completion of a text, `usage`, `finish_reason`"),
  PROMPTS("several prompts, prompts of token ids"),
  CHAT("chat, with a system message"),
  PARTS("content of messages in parts of text"),
  STREAM("stream, equal to the whole answer"),
  STREAM_USAGE("stream with `usage` at the end"),
  STOP("`stop`"),
  CHOICES("`n`"),
  LOGPROBS("`logprobs` of chats"),
  TEXT_LOGPROBS("`logprobs` of completions"),
  ECHO("`echo`, with `logprobs` of the prompt"),
  BEST_OF("`best_of`"),
  SEED("`seed`"),
  LOGIT_BIAS("`logit_bias`"),
  EXTRA_FIELDS("fields of vLLM's beside OpenAI's, such as `min_tokens` and `top_k`"),
  JSON_OBJECT("`response_format` of type `json_object`"),
  JSON_SCHEMA("`response_format` of type `json_schema`"),
  TYPED_ANSWER("`response_format` made of a class, the answer as its object"),
  TOOL_REQUIRED("tools, `tool_choice` `required`"),
  TOOL_NAMED("tools, `tool_choice` of one function"),
  TOOL_AUTO("tools, `tool_choice` `auto`: text, and a call that the model writes"),
  TOOL_LOOP("calls, results of tools, next answer"),
  TOOL_STREAM("calls in a stream"),
  ASYNC("asynchronous calls of whole answers"),
  BAD_REQUEST("400 by class, with `param`"),
  UNAUTHORIZED("401 by class"),
  NOT_FOUND("404 by class, with `code`"),
  RATE_LIMIT("429 by class"),
  UNAVAILABLE("503 by class"),
  DEADLINE("504 by class"),
  RETRY("another try after 429"),
  RETRY_AFTER("`Retry-After` of a 429: seen, and waited for before another try"),
  CLIENT_TIMEOUT("timeout of the client: the request ends in the server"),
  CANCEL("stream closed by the client: the request ends in the server"),
  LEGACY_FUNCTIONS("`functions` and `function_call`, before `tools`"),
  SUFFIX("`suffix`"),
  CUSTOM_TOOLS("tools of type `custom`"),
  ALLOWED_TOOLS("`tool_choice` of `allowed_tools`"),
  REASONING("`reasoning_effort`"),
  WEB_SEARCH("`web_search_options`"),
  IMAGES("images and audio in messages"),
  EMBEDDINGS("embeddings"),
  RESPONSES("the Responses API");

  private final String text;

  Feature(String text) {
    this.text = text;
  }

  /** What it is, in Markdown. */
  public String text() {
    return text;
  }
}
