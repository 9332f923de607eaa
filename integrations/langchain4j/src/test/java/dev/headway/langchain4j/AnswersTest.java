package dev.headway.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.serving.Until;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class AnswersTest {

  private static ChatRequest.Builder ask(String text) {
    return ChatRequest.builder().messages(UserMessage.from(text));
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  @Test
  void shouldCountTokensAndSayThatTheModelHasEnded() {
    try (InProcess given = InProcess.always("Grüße")) {
      final ChatResponse response = given.chat().build().chat(ask("Hi").build());

      assertThat(response.aiMessage().text()).isEqualTo("Grüße");
      assertThat(response.finishReason()).isEqualTo(FinishReason.STOP);
      assertThat(response.modelName()).isEqualTo(InProcess.NAME);
      assertThat(response.tokenUsage().inputTokenCount())
          .isEqualTo(bytes("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"));
      assertThat(response.tokenUsage().outputTokenCount()).isEqualTo(bytes("Grüße") + 1); // the end
    }
  }

  @Test
  void shouldSayThatAnAnswerWasCutOffInTheMiddleOfACharacter() {
    try (InProcess given = InProcess.always("Grüße")) {
      final ChatResponse response = given.chat().build().chat(ask("Hi").maxOutputTokens(3).build());

      assertThat(response.aiMessage().text()).isEqualTo("Gr\ufffd");
      assertThat(response.finishReason()).isEqualTo(FinishReason.LENGTH);
      assertThat(response.tokenUsage().outputTokenCount()).isEqualTo(3);
    }
  }

  @Test
  void shouldCutAtAStopSequenceWhereverItsTokensBegin() throws Exception {
    try (InProcess given = InProcess.always("one, two, three")) {
      final ChatRequest request = ask("Count").stopSequences(List.of(", t", "three")).build();

      final ChatResponse whole = given.chat().build().chat(request);
      final Collected streamed = Collected.of(given.streaming().build(), request);

      assertThat(whole.aiMessage().text()).isEqualTo("one");
      assertThat(whole.finishReason()).isEqualTo(FinishReason.STOP);
      assertThat(streamed.response().aiMessage().text()).isEqualTo("one");
      assertThat(String.join("", streamed.texts)).isEqualTo("one");
      assertThat(given.engine.stats().running()).isZero();
    }
  }

  @Test
  void shouldStreamEachTokenThatIsAText() throws Exception {
    try (InProcess given = InProcess.always("né")) {
      final Collected streamed = Collected.of(given.streaming().build(), ask("Hi").build());

      assertThat(streamed.response().aiMessage().text()).isEqualTo("né");
      assertThat(streamed.texts).containsExactly("n", "é"); // two tokens are one character
      assertThat(streamed.response().finishReason()).isEqualTo(FinishReason.STOP);
    }
  }

  @Test
  void shouldGiveFiftyCallersTheirOwnAnswers() throws Exception {
    try (InProcess given =
            InProcess.scripted((request, prompt) -> "to " + prompt.replaceAll("\\D", ""));
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      final HeadwayChatModel whole = given.chat().build();
      final HeadwayStreamingChatModel streaming = given.streaming().build();
      final List<Callable<String>> calls = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        final ChatRequest request = ask("caller " + (1_000 + i)).build();
        final boolean streams = i % 2 == 0;
        calls.add(
            () ->
                streams
                    ? Collected.of(streaming, request).response().aiMessage().text()
                    : whole.chat(request).aiMessage().text());
      }

      final List<Future<String>> answers = callers.invokeAll(calls);

      for (int i = 0; i < 50; i++) {
        assertThat(answers.get(i).get()).isEqualTo("to " + (1_000 + i));
      }
      // the engine's figures follow the answers when its step ends
      Until.holds(
          () -> {
            final var stats = given.engine.stats();
            return stats.running() + stats.waiting() + stats.kvCache().heldBlocks() == 0;
          });
    }
  }
}
