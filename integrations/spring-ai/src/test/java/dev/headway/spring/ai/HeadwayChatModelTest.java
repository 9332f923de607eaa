package dev.headway.spring.ai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.schedule.WaitReason;
import dev.headway.serving.TextExecutor;
import dev.headway.serving.Until;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.SystemMessage;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import reactor.core.Disposable;

/** Answers, whole and in parts, and what they say of their requests. */
class HeadwayChatModelTest {

  @Test
  void shouldAnswerAPrompt() {
    try (TestedEngine given = TestedEngine.always("The capital is Berlin.")) {
      // when
      ChatResponse response = given.chat().build().call(new Prompt("Which is it?"));

      // then
      assertThat(response.getResult().getOutput().getText()).isEqualTo("The capital is Berlin.");
      assertThat(response.getResult().getMetadata().getFinishReason()).isEqualTo("STOP");
      assertThat(response.getMetadata().getModel()).isEqualTo(TestedEngine.NAME);
      assertThat(response.getMetadata().getUsage().getCompletionTokens())
          .isEqualTo("The capital is Berlin.".length() + 1);
      HeadwayChatMetadata own = HeadwayChatMetadata.of(response).orElseThrow();
      assertThat(own.firstTokenNs().orElseThrow()).isBetween(own.arrivalNs(), own.finishedNs());
      assertThat(own.queuedNs().orElseThrow()).isGreaterThanOrEqualTo(own.arrivalNs());
    }
  }

  @Test
  void shouldShowTheTemplateAllThatWasSaid() {
    List<String> prompts = new CopyOnWriteArrayList<>();
    try (TestedEngine given =
        TestedEngine.scripted(
            (request, prompt) -> {
              prompts.add(prompt);
              return "yes";
            })) {
      // when
      given
          .chat()
          .build()
          .call(
              new Prompt(
                  List.of(
                      new SystemMessage("Be brief."),
                      new UserMessage("Look."),
                      AssistantMessage.builder()
                          .content("")
                          .toolCalls(
                              List.of(new AssistantMessage.ToolCall("1", "function", "look", "{}")))
                          .build(),
                      ToolResponseMessage.builder()
                          .responses(
                              List.of(new ToolResponseMessage.ToolResponse("1", "look", "a cat")))
                          .build())));

      // then
      assertThat(prompts.getFirst())
          .contains("<|im_start|>system\nBe brief.", "<|im_start|>user\nLook.", "look", "a cat");
    }
  }

  @Test
  void shouldStreamPartsAndThenWhatTheyAreOf() {
    try (TestedEngine given = TestedEngine.always("one two three")) {
      // when
      List<ChatResponse> parts =
          given.chat().build().stream(new Prompt("Count")).collectList().block();

      // then
      assertThat(parts).hasSizeGreaterThan(3);
      assertThat(
              parts.stream()
                  .map(part -> part.getResult().getOutput().getText())
                  .reduce("", String::concat))
          .isEqualTo("one two three");
      assertThat(HeadwayChatMetadata.of(parts.getFirst())).isEmpty();
      assertThat(parts.getLast().getResult().getMetadata().getFinishReason()).isEqualTo("STOP");
      assertThat(HeadwayChatMetadata.of(parts.getLast()).orElseThrow().preemptions()).isZero();
    }
  }

  @Test
  void shouldSayWhatAPromptHasWaitedFor() {
    TextExecutor executor = new TextExecutor("an answer", 1_024);
    try (TestedEngine given = new TestedEngine(executor)) {
      // given one that runs
      HeadwayChatModel model = given.chat().build();
      executor.hold();
      Disposable running = model.stream(new Prompt("first")).subscribe();
      executor.let(1);
      Until.holds(() -> given.engine.stats().running() == 1);

      // when
      List<ChatResponse> waited = new CopyOnWriteArrayList<>();
      model.stream(new Prompt("second")).subscribe(waited::add);
      executor.let(2);
      Until.holds(() -> given.engine.stats().waiting() == 1);
      executor.letAll();
      Until.holds(() -> !waited.isEmpty() && HeadwayChatMetadata.of(waited.getLast()).isPresent());

      // then
      HeadwayChatMetadata own = HeadwayChatMetadata.of(waited.getLast()).orElseThrow();
      assertThat(own.waits().byReason()).containsKey(WaitReason.MAX_NUM_SEQS);
      Until.holds(running::isDisposed);
    }
  }

  @Test
  void shouldFreeTheEngineWhenAStreamIsCancelled() {
    TextExecutor executor = new TextExecutor("x".repeat(500), 1_024);
    try (TestedEngine given = new TestedEngine(executor)) {
      // given
      executor.hold();
      List<ChatResponse> parts = new CopyOnWriteArrayList<>();
      Disposable stream = given.chat().build().stream(new Prompt("a")).subscribe(parts::add);
      executor.let(3);
      Until.holds(() -> parts.size() == 3);

      // when
      stream.dispose();
      executor.letAll();

      // then
      Until.holds(() -> given.engine.stats().finished() == 1);
      assertThat(parts).hasSize(3);
    }
  }

  @Test
  void shouldAnswerAChatClient() {
    try (TestedEngine given =
        TestedEngine.scripted((request, prompt) -> prompt.contains("brief") ? "ok" : "no")) {
      ChatClient client =
          ChatClient.builder(
                  given
                      .chat()
                      .defaultOptions(ChatOptions.builder().maxTokens(50).temperature(0.0).build())
                      .build())
              .defaultSystem("Be brief.")
              .build();

      assertThat(client.prompt().user("Hello").call().content()).isEqualTo("ok");
      assertThat(String.join("", client.prompt().user("Hello").stream().content().toIterable()))
          .isEqualTo("ok");
    }
  }
}
