package dev.headway.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.serving.TextExecutor;
import dev.headway.serving.Until;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.LangChain4jException;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.StreamingHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CancellationTest {

  private static final ChatRequest STORY =
      ChatRequest.builder().messages(UserMessage.from("A story")).build();

  @Test
  void shouldFreeTheEngineWhenTheHandlerCancels() throws Exception {
    final TextExecutor executor = new TextExecutor("and then ".repeat(100), 256).hold();
    try (InProcess given = InProcess.start(executor)) {
      final CompletableFuture<StreamingHandle> cancelled = new CompletableFuture<>();
      final Collected handler =
          new Collected() {
            @Override
            void onText(StreamingHandle handle) {
              if (texts.size() == 3) {
                handle.cancel();
                cancelled.complete(handle);
              }
            }
          };

      given.streaming().build().chat(STORY, handler);
      executor.let(3);
      final StreamingHandle handle = cancelled.get(30, TimeUnit.SECONDS);
      executor.let(4); // the steps that were out

      assertThat(given.engine.drain(Duration.ofSeconds(10))).isTrue(); // 896 tokens were to come
      assertThat(given.engine.stats().kvCache().heldBlocks()).isZero();
      assertThat(handle.isCancelled()).isTrue();
      assertThat(handler.texts).hasSize(3);
      assertThat(handler.response).isNotDone();
    }
  }

  @Test
  void shouldFreeTheEngineWhenAnotherThreadCancelsBetweenTwoTokens() throws Exception {
    final TextExecutor executor = new TextExecutor("and then ".repeat(100), 256).hold();
    try (InProcess given = InProcess.start(executor)) {
      final CompletableFuture<StreamingHandle> begun = new CompletableFuture<>();
      final Collected handler =
          new Collected() {
            @Override
            void onText(StreamingHandle handle) {
              begun.complete(handle);
            }
          };
      given.streaming().build().chat(STORY, handler);
      executor.let(1);

      begun.get(30, TimeUnit.SECONDS).cancel();
      executor.let(2); // the steps that were out

      assertThat(given.engine.drain(Duration.ofSeconds(10))).isTrue();
      assertThat(given.engine.stats().kvCache().heldBlocks()).isZero();
      assertThat(handler.texts).hasSize(1);
      assertThat(handler.response).isNotDone();
    }
  }

  @Test
  void shouldNotBeCalledAgainWhenTheLastPartIsCancelled() throws Exception {
    try (InProcess given = InProcess.always("ab")) {
      final Collected handler =
          new Collected() {
            @Override
            void onText(StreamingHandle handle) {
              handle.cancel();
            }
          };

      given
          .streaming()
          .defaultRequestParameters(
              HeadwayChatRequestParameters.builder().maxOutputTokens(1).build())
          .build()
          .chat(STORY, handler);
      assertThat(given.engine.drain(Duration.ofSeconds(10))).isTrue();
      Until.holds(() -> handler.texts.size() == 1);

      final Collected next = Collected.of(given.streaming().build(), STORY);
      assertThatThrownBy(next::response).hasCauseInstanceOf(LangChain4jException.class);
      assertThat(handler.response).isNotDone();
    }
  }

  @Test
  void shouldFreeTheEngineWhenACallerIsInterrupted() throws Exception {
    final TextExecutor executor = new TextExecutor("and then ".repeat(100), 256).hold();
    try (InProcess given = InProcess.start(executor)) {
      final CompletableFuture<Boolean> stillInterrupted = new CompletableFuture<>();
      final CountDownLatch begun = new CountDownLatch(1);
      final Thread caller =
          Thread.ofPlatform()
              .start(
                  () -> {
                    begun.countDown();
                    assertThatThrownBy(() -> given.chat().build().chat(STORY))
                        .isExactlyInstanceOf(LangChain4jException.class)
                        .hasMessageStartingWith(
                            "interrupted while waiting for an answer, which is cancelled: id=");
                    stillInterrupted.complete(Thread.currentThread().isInterrupted());
                  });
      begun.await();

      caller.interrupt();

      assertThat(stillInterrupted.get(30, TimeUnit.SECONDS)).isTrue();
      executor.let(4); // the steps that were out
      assertThat(given.engine.drain(Duration.ofSeconds(10))).isTrue();
      assertThat(given.engine.stats().kvCache().heldBlocks()).isZero();
    }
  }
}
