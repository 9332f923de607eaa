package dev.headway.clients.openai;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.completions.CompletionCreateParams;
import java.time.Duration;

/** The client as the tests want it: every answer is checked against its own model of them. */
final class Connection {

  static final String MODEL = "stories260K-hf";

  private Connection() {}

  static OpenAIOkHttpClient.Builder to(String url) {
    return OpenAIOkHttpClient.builder()
        .baseUrl(url)
        .apiKey("none")
        .maxRetries(0)
        .timeout(Duration.ofSeconds(60))
        .responseValidation(true);
  }

  static OpenAIClient open(String url) {
    return to(url).build();
  }

  static CompletionCreateParams.Builder completion() {
    return CompletionCreateParams.builder().model(MODEL).prompt("Once upon a time").maxTokens(16);
  }

  static ChatCompletionCreateParams.Builder chat() {
    return ChatCompletionCreateParams.builder()
        .model(MODEL)
        .addUserMessage("Tell me a story.")
        .maxCompletionTokens(16);
  }

  /** With a seed, which OpenAI's own models no longer promise to follow. */
  @SuppressWarnings("deprecation")
  static ChatCompletionCreateParams.Builder chat(long seed) {
    return chat().seed(seed);
  }
}
