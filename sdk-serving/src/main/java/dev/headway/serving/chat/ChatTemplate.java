package dev.headway.serving.chat;

import dev.headway.serving.tokenizer.Tokenizer.SpecialTokens;
import java.util.List;

/** How messages become a prompt that the assistant continues. Any thread. */
public interface ChatTemplate {

  /**
   * Returns the prompt; the assistant's answer follows.
   *
   * @param messages at least one
   * @param tools functions that the assistant may call, a JSON array as OpenAI's field of that
   *     name; empty for none
   * @throws ChatTemplateException if the template does not take these messages
   */
  String render(List<ChatMessage> messages, String tools);

  /** As above, without functions. */
  default String render(List<ChatMessage> messages) {
    return render(messages, "");
  }

  /** Whether the tokenizer adds the tokens that the template does not write. */
  SpecialTokens specialTokens();

  /** What it is, for people. */
  String describe();
}
