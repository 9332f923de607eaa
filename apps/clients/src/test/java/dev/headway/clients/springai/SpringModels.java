package dev.headway.clients.springai;

import dev.headway.clients.Servers;
import dev.headway.clients.Way;
import java.time.Duration;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;

/** Spring AI's model and options as the tests want them. */
final class SpringModels {

  static final String MODEL = "stories260K-hf";

  private SpringModels() {}

  static OpenAiChatModel chat(Servers servers, Way way) {
    return OpenAiChatModel.builder().options(options(servers.models(way)).build()).build();
  }

  static OpenAiChatOptions.Builder options(String url) {
    return OpenAiChatOptions.builder()
        .baseUrl(url)
        .apiKey("none")
        .model(MODEL)
        .maxRetries(0)
        .timeout(Duration.ofSeconds(60));
  }

  /** Of one request, of at most 16 tokens. */
  static OpenAiChatOptions.Builder short16() {
    return OpenAiChatOptions.builder().model(MODEL).maxCompletionTokens(16);
  }

  static Prompt asking(OpenAiChatOptions.Builder options) {
    return new Prompt("Tell me a story.", options.build());
  }

  static Generation first(ChatResponse answer) {
    final Generation first = answer.getResult();
    if (first == null) {
      throw new AssertionError("there must be an answer");
    }
    return first;
  }

  static String text(ChatResponse answer) {
    final AssistantMessage message = first(answer).getOutput();
    return message.getText() == null ? "" : message.getText();
  }
}
