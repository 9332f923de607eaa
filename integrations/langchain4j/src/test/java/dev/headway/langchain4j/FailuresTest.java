package dev.headway.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.serving.ServedEngine;
import dev.headway.serving.TextExecutor;
import dev.headway.serving.Until;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.InternalServerException;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.NonRetriableException;
import dev.langchain4j.exception.RateLimitException;
import dev.langchain4j.exception.TimeoutException;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.json.JsonRawSchema;
import dev.langchain4j.model.chat.request.json.JsonSchema;
import dev.langchain4j.model.chat.response.StreamingHandle;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FailuresTest {

  private static ChatRequest ask(String text, ChatRequestParameters parameters) {
    return ChatRequest.builder().messages(UserMessage.from(text)).parameters(parameters).build();
  }

  private static ChatRequest ask(String text) {
    return ask(text, HeadwayChatRequestParameters.EMPTY);
  }

  @Test
  void shouldRefuseAPromptThatIsTooLong() {
    final ServedEngine.Setup setup = new ServedEngine.Setup();
    setup.maxModelLen = 64;
    try (InProcess given = InProcess.start(setup, new TextExecutor("hi", 256))) {
      assertThatThrownBy(() -> given.chat().build().chat("x".repeat(40)))
          .isExactlyInstanceOf(InvalidRequestException.class)
          .hasMessage(
              "prompt and answer must fit into maxModelLen: promptTokens=90, maxOutputTokens=1 at"
                  + " least, maxModelLen=64");
      assertThatThrownBy(() -> given.chat().build().chat("x".repeat(10_000)))
          .isExactlyInstanceOf(InvalidRequestException.class)
          .hasMessageStartingWith("messages must be short enough for maxModelLen: characters=1000");
    }
  }

  /** An engine whose only seat is taken, and whose executor is held. */
  private static InProcess busy(TextExecutor executor) throws InterruptedException {
    final ServedEngine.Setup setup = new ServedEngine.Setup();
    setup.maxNumSeqs = 1;
    setup.maxQueued = 2; // what runs counts
    final InProcess given = InProcess.start(setup, executor.hold());
    final CountDownLatch begun = new CountDownLatch(1);
    given
        .streaming()
        .build()
        .chat(
            ask("first"),
            new Collected() {
              @Override
              void onText(StreamingHandle handle) {
                begun.countDown();
              }
            });
    executor.let(1);
    assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
    return given;
  }

  private static final String LONG = "hi ".repeat(1_000);

  @Test
  void shouldSayThatTheQueueIsFull() throws Exception {
    final TextExecutor executor = new TextExecutor(LONG, 256);
    try (InProcess given = busy(executor)) {
      Collected.of(given.streaming().build(), ask("second"));

      assertThatThrownBy(() -> given.chat().build().chat("third"))
          .isExactlyInstanceOf(RateLimitException.class)
          .hasMessageContaining("maxNumQueuedReqs=2; retry later");
      executor.letAll();
    }
  }

  @Test
  void shouldSayThatATimeHasPassedAndWhatTheRequestWaitedFor() throws Exception {
    final TextExecutor executor = new TextExecutor(LONG, 256);
    try (InProcess given = busy(executor)) {
      final Collected second =
          Collected.of(
              given.streaming().build(),
              ask(
                  "second",
                  HeadwayChatRequestParameters.builder()
                      .queueTimeout(Duration.ofMillis(1))
                      .build()));
      final long submittedNs = System.nanoTime();
      Until.holds(() -> System.nanoTime() - submittedNs > 2_000_000);
      executor.let(4); // the steps that were out

      assertThatThrownBy(second::response)
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isExactlyInstanceOf(TimeoutException.class)
          .hasMessageStartingWith("the request must be begun within its queue timeout: id=")
          .hasMessageContaining("outputTokens=0")
          .hasMessageContaining("waited={");
      executor.letAll();
    }
  }

  @Test
  void shouldSayThatTheEngineIsClosed() {
    final InProcess given = InProcess.always("hi");
    final HeadwayChatModel model = given.chat().build();
    given.close();

    assertThatThrownBy(() -> model.chat("Hi")).isExactlyInstanceOf(NonRetriableException.class);
  }

  @Test
  void shouldSayThatTheExecutorHasFailed() {
    final TextExecutor executor = new TextExecutor("hi", 256);
    executor.fail(new IllegalStateException("no device"));
    try (InProcess given = InProcess.start(executor)) {
      assertThatThrownBy(() -> given.chat().build().chat("Hi"))
          .isExactlyInstanceOf(InternalServerException.class)
          .hasMessageContaining("no device");
    }
  }

  @Test
  void shouldSayWhichPartOfASchemaCannotBeKept() {
    final ResponseFormat format =
        ResponseFormat.builder()
            .type(ResponseFormatType.JSON)
            .jsonSchema(
                JsonSchema.builder()
                    .name("never")
                    .rootElement(
                        JsonRawSchema.from(
                            "{\"type\": \"object\", \"properties\": {\"a\": {\"type\": 1}}}"))
                    .build())
            .build();
    try (InProcess given = InProcess.always("hi")) {
      assertThatThrownBy(
              () ->
                  given
                      .chat()
                      .build()
                      .chat(
                          ask(
                              "Hi",
                              ChatRequestParameters.builder().responseFormat(format).build())))
          .isExactlyInstanceOf(InvalidRequestException.class)
          .hasMessageStartingWith(
              "the schema of responseFormat or of a tool cannot be kept at #/properties/a");
    }
  }
}
