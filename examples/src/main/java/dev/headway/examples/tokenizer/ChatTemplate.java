package dev.headway.examples.tokenizer;

import dev.headway.examples.tokenizer.Tokenizer.SpecialTokens;
import java.util.List;

/**
 * How messages become a prompt that the assistant continues. Built in, since the models' own
 * templates are programs in Jinja, which would have to be run: the layouts of the common families
 * are here, without their tools, dates and default system prompts.
 */
public enum ChatTemplate {
  /** Role and text in a line; for models without a template. */
  PLAIN("plain", SpecialTokens.ADDED) {
    @Override
    public String render(List<ChatMessage> messages) {
      final StringBuilder text = new StringBuilder();
      for (ChatMessage message : messages) {
        text.append(message.role()).append(": ").append(message.content()).append('\n');
      }
      return text.append("assistant:").toString();
    }
  },
  /** OpenAI's markup, used by Qwen and many more. */
  CHATML("chatml", SpecialTokens.LEFT_OUT) {
    @Override
    public String render(List<ChatMessage> messages) {
      final StringBuilder text = new StringBuilder();
      for (ChatMessage message : messages) {
        text.append("<|im_start|>").append(message.role()).append('\n');
        text.append(message.content()).append("<|im_end|>\n");
      }
      return text.append("<|im_start|>assistant\n").toString();
    }
  },
  /** Llama 3 and later. */
  LLAMA3("llama3", SpecialTokens.LEFT_OUT) {
    @Override
    public String render(List<ChatMessage> messages) {
      final StringBuilder text = new StringBuilder("<|begin_of_text|>");
      for (ChatMessage message : messages) {
        text.append("<|start_header_id|>").append(message.role()).append("<|end_header_id|>\n\n");
        text.append(message.content().strip()).append("<|eot_id|>");
      }
      return text.append("<|start_header_id|>assistant<|end_header_id|>\n\n").toString();
    }
  },
  /** Mistral's instructions; a system message stands in front of the first of the user. */
  MISTRAL("mistral", SpecialTokens.LEFT_OUT) {
    @Override
    public String render(List<ChatMessage> messages) {
      final StringBuilder text = new StringBuilder("<s>");
      String before = "";
      for (ChatMessage message : messages) {
        switch (message.role()) {
          case "system", "developer" -> before += message.content() + "\n\n";
          case "assistant" -> text.append(' ').append(message.content()).append("</s>");
          default -> {
            text.append("[INST] ").append(before).append(message.content()).append(" [/INST]");
            before = "";
          }
        }
      }
      return text.toString();
    }
  };

  private final String label;
  private final SpecialTokens specialTokens;

  ChatTemplate(String label, SpecialTokens specialTokens) {
    this.label = label;
    this.specialTokens = specialTokens;
  }

  /** Returns the prompt; the assistant's answer follows. */
  public abstract String render(List<ChatMessage> messages);

  /** Its name on the command line. */
  public String label() {
    return label;
  }

  /** Whether the tokenizer adds the tokens that the template does not write. */
  public SpecialTokens specialTokens() {
    return specialTokens;
  }

  /** Returns the layout that a model's own template writes, as far as its markers tell. */
  public static ChatTemplate resembling(String jinja) {
    if (jinja.contains("<|im_start|>")) {
      return CHATML;
    }
    if (jinja.contains("<|start_header_id|>")) {
      return LLAMA3;
    }
    return jinja.contains("[INST]") ? MISTRAL : PLAIN;
  }
}
