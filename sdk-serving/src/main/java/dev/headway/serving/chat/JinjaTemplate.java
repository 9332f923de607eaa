package dev.headway.serving.chat;

import dev.headway.serving.tokenizer.Tokenizer.SpecialTokens;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A template in Jinja, as models have them. It gets what Hugging Face's transformers give: the
 * messages, {@code add_generation_prompt} (true), {@code tools} (those of the request, or none),
 * {@code documents} (none), and the special tokens by name, such as {@code bos_token}. Any thread;
 * as many prompts are made at a time as there are processors.
 */
public final class JinjaTemplate implements ChatTemplate {

  /** For a prompt, and to wait until it is made. */
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
  private final Map<String, String> specialTokens;
  private final TemplateWorkers workers;

  private JinjaTemplate(String name, Map<String, String> specialTokens, TemplateWorkers workers) {
    this.name = name;
    this.specialTokens = specialTokens;
    this.workers = workers;
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

  /** As above; a prompt may take so long, and wait so long before. */
  static JinjaTemplate of(
      String name, String source, Map<String, String> specialTokens, Duration longest)
      throws IOException {
    try {
      final TemplateWorkers workers =
          new TemplateWorkers(
              longest, Compiled.of(source, longest), () -> Compiled.of(source, longest));
      final JinjaTemplate template = new JinjaTemplate(name, Map.copyOf(specialTokens), workers);
      TRIALS.forEach(template::tryWith);
      return template;
    } catch (ChatTemplateException e) {
      throw new IOException(
          "the chat template must be one that can be run: file=" + name + ", " + e.getMessage(), e);
    }
  }

  private void tryWith(List<ChatMessage> messages) {
    try {
      render(messages);
    } catch (ChatTemplateException e) {
      if (e.kind() != ChatTemplateException.Kind.REFUSED || messages.size() == 1) {
        throw e;
      }
    }
  }

  @Override
  public String render(List<ChatMessage> messages, String tools) {
    return workers.render(variables(messages, tools));
  }

  /** A template in a scope of its own. One thread at a time. */
  private record Compiled(JinjaScript script, String source, Object template)
      implements TemplateWorkers.Scope {

    static Compiled of(String source, Duration longest) {
      final JinjaScript script = JinjaScript.load(longest);
      script.begin();
      try {
        return new Compiled(script, source, script.attempt("compile", source));
      } catch (ChatTemplateException e) {
        throw e.kind() == ChatTemplateException.Kind.FAILED
            ? located(e, () -> FailureLine.ofReading(script, source))
            : e;
      }
    }

    @Override
    public String render(String variables) {
      script.begin();
      try {
        return script.attempt("render", template, variables).toString();
      } catch (ChatTemplateException e) {
        throw e.kind() == ChatTemplateException.Kind.FAILED
            ? located(e, () -> FailureLine.ofRendering(script, source, variables))
            : e;
      }
    }

    /** With the line, if it is found in what is left of the time. */
    private static ChatTemplateException located(ChatTemplateException failure, IntSupplier line) {
      try {
        return failure.at(line.getAsInt());
      } catch (ChatTemplateException tooLong) {
        return failure;
      }
    }
  }

  private String variables(List<ChatMessage> messages, String tools) {
    final ObjectNode variables = JSON.createObjectNode();
    specialTokens.forEach(variables::put);
    variables.put("add_generation_prompt", true).putNull("documents");
    variables.set("tools", tools.isEmpty() ? null : JSON.readTree(tools));
    final ArrayNode array = variables.putArray("messages");
    for (ChatMessage message : messages) {
      add(array.addObject().put("role", message.role()), message);
    }
    return JSON.writeValueAsString(variables);
  }

  /** Arguments are objects, as vLLM gives them to templates that print them in their own way. */
  private static void add(ObjectNode json, ChatMessage message) {
    json.put("content", message.content());
    if (!message.toolCalls().isEmpty()) {
      final ArrayNode calls = json.putArray("tool_calls");
      for (ChatMessage.ToolCall call : message.toolCalls()) {
        calls
            .addObject()
            .put("id", call.id())
            .put("type", "function")
            .putObject("function")
            .put("name", call.name())
            .set("arguments", JSON.readTree(call.arguments()));
      }
    }
    if (message.toolCallId() != null) {
      json.put("tool_call_id", message.toolCallId());
    }
    if (message.name() != null) {
      json.put("name", message.name());
    }
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
