package dev.headway.server.chat;

import dev.headway.server.chat.ChatTemplateException.Kind;
import dev.headway.server.tokenizer.Tokenizer.SpecialTokens;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A template in Jinja, as models have them. It gets what Hugging Face's transformers give: the
 * messages, {@code add_generation_prompt} (true), {@code tools} and {@code documents} (none), and
 * the special tokens by name, such as {@code bos_token}. Any thread; prompts are made one after the
 * other.
 */
public final class JinjaTemplate implements ChatTemplate {

  private static final Duration LONGEST = Duration.ofSeconds(5);
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final ChatMessage USER = new ChatMessage("user", "Hi");

  /** What a template is tried with; many take no system message, but none takes no user's. */
  private static final List<List<ChatMessage>> TRIALS =
      List.of(
          List.of(USER),
          List.of(USER, new ChatMessage("assistant", "Yes?"), USER),
          List.of(new ChatMessage("system", "Be brief."), USER));

  private final String name;
  private final String source;
  private final Map<String, String> specialTokens;
  private final JinjaScript script;
  private final Object compiled;

  private JinjaTemplate(
      String name,
      String source,
      Map<String, String> specialTokens,
      JinjaScript script,
      Object compiled) {
    this.name = name;
    this.source = source;
    this.specialTokens = specialTokens;
    this.script = script;
    this.compiled = compiled;
  }

  /**
   * Makes a template and tries it.
   *
   * @param name where it is from, for people
   * @param specialTokens tokens by the names that templates have for them
   * @throws IOException if it cannot be run; the message names line and reason
   */
  public static JinjaTemplate of(String name, String source, Map<String, String> specialTokens)
      throws IOException {
    return of(name, source, specialTokens, LONGEST);
  }

  /** As above; a prompt may take so long. */
  static JinjaTemplate of(
      String name, String source, Map<String, String> specialTokens, Duration longest)
      throws IOException {
    final JinjaScript script = JinjaScript.load(longest);
    try {
      final Object compiled = compile(script, source);
      final JinjaTemplate template =
          new JinjaTemplate(name, source, Map.copyOf(specialTokens), script, compiled);
      TRIALS.forEach(template::tryWith);
      return template;
    } catch (ChatTemplateException e) {
      throw new IOException(
          "the chat template must be one that can be run: file=" + name + ", " + e.getMessage(), e);
    }
  }

  private static Object compile(JinjaScript script, String source) {
    try {
      return script.attempt("compile", source);
    } catch (ChatTemplateException e) {
      throw e.at(FailureLine.ofReading(script, source));
    }
  }

  private void tryWith(List<ChatMessage> messages) {
    try {
      render(messages);
    } catch (ChatTemplateException e) {
      if (e.kind() == Kind.FAILED || messages.size() == 1) {
        throw e;
      }
    }
  }

  @Override
  public String render(List<ChatMessage> messages) {
    final String variables = variables(messages);
    try {
      return script.attempt("render", compiled, variables).toString();
    } catch (ChatTemplateException e) {
      throw e.kind() == Kind.REFUSED ? e : e.at(FailureLine.ofRendering(script, source, variables));
    }
  }

  private String variables(List<ChatMessage> messages) {
    final ObjectNode variables = JSON.createObjectNode();
    specialTokens.forEach(variables::put);
    variables.put("add_generation_prompt", true).putNull("tools").putNull("documents");
    final ArrayNode array = variables.putArray("messages");
    for (ChatMessage message : messages) {
      array.addObject().put("role", message.role()).put("content", message.content());
    }
    return JSON.writeValueAsString(variables);
  }

  @Override
  public SpecialTokens specialTokens() {
    return SpecialTokens.LEFT_OUT; // the template writes them
  }

  @Override
  public String describe() {
    return name;
  }
}
