package dev.headway.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.serving.ServedModel;
import dev.headway.serving.TextExecutor;
import dev.headway.serving.chat.BuiltInTemplate;
import dev.headway.serving.tokenizer.ByteTokenizer;
import dev.headway.spring.ai.HeadwayChatMetadata;
import dev.headway.spring.ai.HeadwayChatModel;
import dev.headway.spring.ai.HeadwayChatOptions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Spring AI's chat model as a bean. */
class ChatModelTest {

  private static final String STORIES =
      "../../sdk-executor-host/src/test/resources/models/stories260K-hf";

  private static ApplicationContextRunner with(ApplicationContextRunner application) {
    return application.withConfiguration(
        AutoConfigurations.of(ServingAutoConfiguration.class, ChatModelAutoConfiguration.class));
  }

  @Test
  void shouldChatWithTheModelOfADirectory() {
    with(Contexts.empty())
        .withPropertyValues(
            "headway.model.directory=" + STORIES,
            "headway.model.name=stories",
            "headway.model.chat-template=plain",
            "headway.limits.max-model-len=128")
        .withBean(
            HeadwayChatOptions.class,
            () -> HeadwayChatOptions.builder().maxTokens(10).temperature(0.0).build())
        .run(
            context -> {
              ChatResponse response =
                  context.getBean(ChatModel.class).call(new Prompt("Once upon a time"));

              assertThat(response.getResult().getOutput().getText()).isNotBlank();
              assertThat(response.getMetadata().getModel()).isEqualTo("stories");
              assertThat(response.getMetadata().getUsage().getCompletionTokens()).isEqualTo(10);
              assertThat(HeadwayChatMetadata.of(response).orElseThrow().queuedNs()).isPresent();
              assertThat(context.getBean(ServedModel.class).maxModelLen()).isEqualTo(128);
            });
  }

  @Test
  void shouldTakeTheServedModelOfABean() {
    with(Contexts.answering("hello"))
        .withBean(
            ServedModel.class,
            () ->
                new ServedModel(
                    "own",
                    new ByteTokenizer(),
                    BuiltInTemplate.CHATML,
                    new int[] {ByteTokenizer.EOS},
                    ByteTokenizer.VOCABULARY_SIZE,
                    1_024))
        .run(
            context ->
                assertThat(context.getBean(HeadwayChatModel.class).call("Hi")).isEqualTo("hello"));
  }

  @Test
  void shouldLeaveTheChatModelToAnother() {
    ChatModel other = prompt -> new ChatResponse(List.of());

    with(Contexts.empty())
        .withBean(ChatModel.class, () -> other)
        .withPropertyValues("headway.model.directory=" + STORIES)
        .run(context -> assertThat(context.getBean(ChatModel.class)).isSameAs(other));
  }

  @Test
  void shouldHaveNoChatModelWithoutText() {
    with(Contexts.empty())
        .withBean(TextExecutor.class, () -> new TextExecutor("hello", 64))
        .run(context -> assertThat(context).doesNotHaveBean(ChatModel.class));
  }

  @Test
  void shouldSayWhichChatTemplatesThereAre() {
    with(Contexts.empty())
        .withPropertyValues(
            "headway.model.directory=" + STORIES, "headway.model.chat-template=no-such")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessage(
                        "headway.model.chat-template must be a file or one of "
                            + BuiltInTemplate.labels()
                            + ": headway.model.chat-template=no-such"));
  }
}
