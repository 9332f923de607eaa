package dev.headway.serving.chat;

import dev.headway.fuzz.ParserFuzz;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Chat templates, which come with models. */
class ChatTemplateFuzzTest extends ParserFuzz {

  private static final String VARIABLES =
      """
      {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
       "add_generation_prompt": true, "bos_token": "<s>", "tools": null, "documents": null}\
      """;

  private final JinjaScript script = JinjaScript.load(Duration.ofSeconds(2));

  ChatTemplateFuzzTest() {
    super(ChatTemplateException.class);
  }

  @Override
  protected void parse(byte[] input) throws Exception {
    final Object compiled = script.attempt("compile", new String(input, StandardCharsets.UTF_8));
    script.attempt("render", compiled, VARIABLES).toString();
  }

  @Override
  protected int spoiltInputs() {
    return 20;
  }
}
