package dev.headway.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.request.ToolChoice;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class PromptsTest {

  private static final ToolExecutionRequest CALL =
      ToolExecutionRequest.builder().id("c1").name("look").arguments("{\"at\": \"sky\"}").build();

  private static String prompt(List<ChatMessage> messages, ChatRequestParameters parameters) {
    final AtomicReference<String> seen = new AtomicReference<>();
    try (InProcess given =
        InProcess.scripted(
            (request, prompt) -> {
              seen.set(prompt);
              return "ok";
            })) {
      given
          .chat()
          .build()
          .chat(ChatRequest.builder().messages(messages).parameters(parameters).build());
    }
    return seen.get();
  }

  @Test
  void shouldRenderEveryKindOfMessage() {
    final String prompt =
        prompt(
            List.of(
                SystemMessage.from("Be brief."),
                UserMessage.from(TextContent.from("What"), TextContent.from("is up?")),
                AiMessage.from("Let me look", List.of(CALL)),
                ToolExecutionResultMessage.from(CALL, "clouds"),
                AiMessage.from("Clouds."),
                UserMessage.from("Thanks")),
            ChatRequestParameters.builder().build());

    assertThat(prompt)
        .isEqualTo(
            """
            <|im_start|>system
            Be brief.<|im_end|>
            <|im_start|>user
            What
            is up?<|im_end|>
            <|im_start|>assistant
            Let me look
            <tool_call>
            {"name": "look", "arguments": {"at":"sky"}}
            </tool_call><|im_end|>
            <|im_start|>tool
            clouds<|im_end|>
            <|im_start|>assistant
            Clouds.<|im_end|>
            <|im_start|>user
            Thanks<|im_end|>
            <|im_start|>assistant
            """);
  }

  @Test
  void shouldDescribeToolsToTheTemplateEvenIfTheyMayNotBeCalled() {
    final ToolSpecification tool =
        ToolSpecification.builder()
            .name("look")
            .description("Looks.")
            .parameters(
                JsonObjectSchema.builder().addStringProperty("at", "where").required("at").build())
            .build();
    final String described =
        "{\"type\":\"function\",\"function\":{\"name\":\"look\",\"description\":\"Looks.\","
            + "\"parameters\":{\"type\":\"object\",\"properties\":{\"at\":{\"type\":\"string\","
            + "\"description\":\"where\"}},\"required\":[\"at\"]}}}";
    for (ToolChoice choice : List.of(ToolChoice.AUTO, ToolChoice.NONE)) {
      assertThat(
              prompt(
                  List.of(UserMessage.from("Hi")),
                  ChatRequestParameters.builder()
                      .toolSpecifications(tool)
                      .toolChoice(choice)
                      .build()))
          .contains("<tools>\n" + described + "\n</tools>");
    }
  }

  @Test
  void shouldRefuseACallWhoseArgumentsAreNoObject() {
    final ToolExecutionRequest wrong = CALL.toBuilder().arguments("sky").build();

    assertThatThrownBy(
            () ->
                prompt(
                    List.of(UserMessage.from("Hi"), AiMessage.from(wrong)),
                    ChatRequestParameters.builder().build()))
        .isExactlyInstanceOf(InvalidRequestException.class)
        .hasMessage("arguments of a tool call must be a JSON object: tool=look, arguments=sky");
  }
}
