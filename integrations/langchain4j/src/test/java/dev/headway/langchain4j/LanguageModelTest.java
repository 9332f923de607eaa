package dev.headway.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.model.StreamingResponseHandler;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LanguageModelTest {

  private static InProcess continuing() {
    return InProcess.scripted((request, prompt) -> "[" + prompt + "]");
  }

  @Test
  void shouldContinueATextAsItIs() {
    try (InProcess given = continuing()) {
      final HeadwayLanguageModel model =
          HeadwayLanguageModel.builder()
              .engine(given.engine)
              .model(given.model)
              .engineTimes(given.times)
              .build();

      final Response<String> response = model.generate("Once upon");

      assertThat(response.content()).isEqualTo("[Once upon]");
      assertThat(response.finishReason()).isEqualTo(FinishReason.STOP);
      assertThat(response.tokenUsage().inputTokenCount()).isEqualTo(9);
      assertThat(response.tokenUsage().outputTokenCount()).isEqualTo(12);
      assertThat(response.metadata().get("headway"))
          .isInstanceOfSatisfying(
              HeadwayChatResponseMetadata.class,
              metadata -> assertThat(metadata.queuedNs()).isPresent());
    }
  }

  /** What a handler was called with. */
  private static class Handler implements StreamingResponseHandler<String> {
    final List<String> texts = new ArrayList<>();
    final CompletableFuture<Response<String>> response = new CompletableFuture<>();

    @Override
    public void onNext(String token) {
      texts.add(token);
    }

    @Override
    public void onComplete(Response<String> complete) {
      response.complete(complete);
    }

    @Override
    public void onError(Throwable error) {
      response.completeExceptionally(error);
    }
  }

  private static HeadwayStreamingLanguageModel streaming(InProcess given) {
    return HeadwayStreamingLanguageModel.builder()
        .engine(given.engine)
        .model(given.model)
        .defaultRequestParameters(HeadwayChatRequestParameters.builder().maxOutputTokens(4).build())
        .build();
  }

  @Test
  void shouldStreamAText() throws Exception {
    try (InProcess given = continuing()) {
      final Handler handler = new Handler();

      streaming(given).generate("Once", handler);

      final Response<String> response = handler.response.get(30, TimeUnit.SECONDS);
      assertThat(handler.texts).containsExactly("[", "O", "n", "c");
      assertThat(response.content()).isEqualTo("[Onc");
      assertThat(response.finishReason()).isEqualTo(FinishReason.LENGTH);
    }
  }

  @Test
  void shouldTellTheHandlerWhatIsWrongAndWhatItHasThrownItself() {
    try (InProcess given = continuing()) {
      final Handler tooLong = new Handler();
      streaming(given).generate("x".repeat(5_000), tooLong);
      assertThatThrownBy(() -> tooLong.response.get(30, TimeUnit.SECONDS))
          .cause()
          .isExactlyInstanceOf(InvalidRequestException.class);

      final IllegalStateException own = new IllegalStateException("full");
      final Handler throwing =
          new Handler() {
            @Override
            public void onNext(String token) {
              throw own;
            }
          };
      streaming(given).generate("Once", throwing);
      assertThatThrownBy(() -> throwing.response.get(30, TimeUnit.SECONDS)).cause().isSameAs(own);
    }
  }

  @Test
  void shouldRefuseTools() {
    try (InProcess given = continuing()) {
      assertThatThrownBy(
              () ->
                  HeadwayLanguageModel.builder()
                      .engine(given.engine)
                      .model(given.model)
                      .defaultRequestParameters(
                          HeadwayChatRequestParameters.builder()
                              .toolSpecifications(ToolSpecification.builder().name("look").build())
                              .build())
                      .build())
          .isExactlyInstanceOf(UnsupportedFeatureException.class)
          .hasMessage(
              "tools are not supported by a model that continues texts; a chat model has them");
    }
  }
}
