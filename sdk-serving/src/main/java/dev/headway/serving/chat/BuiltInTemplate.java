package dev.headway.serving.chat;

import dev.headway.serving.tokenizer.Tokenizer.SpecialTokens;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Layouts of the common families, without their dates and default system prompts: for models
 * without a template, or with one that cannot be run. Tools are described in the system message,
 * and their calls are text behind the assistant's own, {@code <tool_call>} as of Hermes and Qwen.
 */
public enum BuiltInTemplate implements ChatTemplate {
  /** Role and text in a line; for models without a template. */
  PLAIN("plain", SpecialTokens.ADDED) {
    @Override
    String renderAll(List<ChatMessage> messages) {
      final StringBuilder text = new StringBuilder();
      for (ChatMessage message : messages) {
        text.append(message.role()).append(": ").append(message.text()).append('\n');
      }
      return text.append("assistant:").toString();
    }
  },
  /** OpenAI's markup, used by Qwen and many more. */
  CHATML("chatml", SpecialTokens.LEFT_OUT) {
    @Override
    String renderAll(List<ChatMessage> messages) {
      final StringBuilder text = new StringBuilder();
      for (ChatMessage message : messages) {
        text.append("<|im_start|>").append(message.role()).append('\n');
        text.append(message.text()).append("<|im_end|>\n");
      }
      return text.append("<|im_start|>assistant\n").toString();
    }
  },
  /** Llama 3 and later. */
  LLAMA3("llama3", SpecialTokens.LEFT_OUT) {
    @Override
    String renderAll(List<ChatMessage> messages) {
      final StringBuilder text = new StringBuilder("<|begin_of_text|>");
      for (ChatMessage message : messages) {
        text.append("<|start_header_id|>").append(message.role()).append("<|end_header_id|>\n\n");
        text.append(message.text().strip()).append("<|eot_id|>");
      }
      return text.append("<|start_header_id|>assistant<|end_header_id|>\n\n").toString();
    }
  },
  /** Mistral's instructions; a system message comes before the first of the user. */
  MISTRAL("mistral", SpecialTokens.LEFT_OUT) {
    @Override
    String renderAll(List<ChatMessage> messages) {
      final StringBuilder text = new StringBuilder("<s>");
      String before = "";
      for (ChatMessage message : messages) {
        switch (message.role()) {
          case "system", "developer" -> before += message.text() + "\n\n";
          case "assistant" -> text.append(' ').append(message.text()).append("</s>");
          default -> {
            text.append("[INST] ").append(before).append(message.text()).append(" [/INST]");
            before = "";
          }
        }
      }
      return text.toString();
    }
  };

  private final String label;
  private final SpecialTokens specialTokens;

  BuiltInTemplate(String label, SpecialTokens specialTokens) {
    this.label = label;
    this.specialTokens = specialTokens;
  }

  /** Its name on the command line. */
  public String label() {
    return label;
  }

  abstract String renderAll(List<ChatMessage> messages);

  @Override
  public String render(List<ChatMessage> messages, String tools) {
    return renderAll(tools.isEmpty() ? messages : ToolPrompt.before(messages, tools));
  }

  @Override
  public String describe() {
    return label + " (built in)";
  }

  @Override
  public SpecialTokens specialTokens() {
    return specialTokens;
  }

  /** Returns the layout of that name, if there is one. */
  public static Optional<BuiltInTemplate> named(String label) {
    return Arrays.stream(values()).filter(template -> template.label.equals(label)).findFirst();
  }

  /** Names of all, for people. */
  public static String labels() {
    return Arrays.stream(values()).map(BuiltInTemplate::label).collect(Collectors.joining(", "));
  }
}
