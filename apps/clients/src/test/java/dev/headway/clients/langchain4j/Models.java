package dev.headway.clients.langchain4j;

import dev.headway.clients.Servers;
import dev.headway.clients.Way;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiChatRequestParameters;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** LangChain4j's models as the tests want them. */
final class Models {

  static final String MODEL = "stories260K-hf";
  static final Duration LONGEST = Duration.ofSeconds(60);

  private Models() {}

  static OpenAiChatModel chat(Servers servers, Way way) {
    return OpenAiChatModel.builder()
        .baseUrl(servers.models(way))
        .apiKey("none")
        .modelName(MODEL)
        .timeout(LONGEST)
        .maxRetries(0)
        .build();
  }

  static OpenAiStreamingChatModel streaming(Servers servers, Way way) {
    return OpenAiStreamingChatModel.builder()
        .baseUrl(servers.models(way))
        .apiKey("none")
        .modelName(MODEL)
        .timeout(LONGEST)
        .build();
  }

  static OpenAiChatRequestParameters.Builder short16() {
    return OpenAiChatRequestParameters.builder().maxCompletionTokens(16);
  }

  static ChatRequest asking(OpenAiChatRequestParameters.Builder parameters) {
    return ChatRequest.builder()
        .messages(UserMessage.from("Tell me a story."))
        .parameters(parameters.build())
        .build();
  }

  /** What a stream comes to, its texts one behind the other. */
  static ChatResponse streamed(
      OpenAiStreamingChatModel model, ChatRequest asked, StringBuilder texts) throws Exception {
    final CompletableFuture<ChatResponse> end = new CompletableFuture<>();
    model.chat(
        asked,
        new StreamingChatResponseHandler() {
          @Override
          public void onPartialResponse(String text) {
            texts.append(text);
          }

          @Override
          public void onCompleteResponse(ChatResponse whole) {
            end.complete(whole);
          }

          @Override
          public void onError(Throwable error) {
            end.completeExceptionally(error);
          }
        });
    return end.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
  }
}
