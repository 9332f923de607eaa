package dev.headway.clients.openai;

import static dev.headway.clients.openai.Connection.chat;
import static dev.headway.clients.openai.Connection.completion;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.openai.core.JsonValue;
import com.openai.errors.BadRequestException;
import com.openai.errors.NotFoundException;
import com.openai.models.FunctionDefinition;
import com.openai.models.ReasoningEffort;
import com.openai.models.chat.completions.ChatCompletionAllowedToolChoice;
import com.openai.models.chat.completions.ChatCompletionAllowedTools;
import com.openai.models.chat.completions.ChatCompletionContentPart;
import com.openai.models.chat.completions.ChatCompletionContentPartImage;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionCustomTool;
import com.openai.models.completions.CompletionCreateParams;
import com.openai.models.embeddings.EmbeddingCreateParams;
import com.openai.models.responses.ResponseCreateParams;
import dev.headway.clients.Feature;
import dev.headway.clients.Servers;
import dev.headway.clients.Shows;
import dev.headway.clients.Support;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** OpenAI's Java client: what is not there is refused by its name, not answered without it. */
@ParameterizedClass
@EnumSource
@ExtendWith(Servers.Started.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class OpenAiJavaRefusalsTest extends WithClient {

  private void assertRefused(String field, ChatCompletionCreateParams.Builder asked) {
    final BadRequestException error =
        catchThrowableOfType(
            BadRequestException.class, () -> client.chat().completions().create(asked.build()));
    assertThat(error.param()).contains(field);
    assertThat(error).hasMessageContaining(field + " must be ");
  }

  private void assertRefused(String field, CompletionCreateParams.Builder asked) {
    final BadRequestException error =
        catchThrowableOfType(
            BadRequestException.class, () -> client.completions().create(asked.build()));
    assertThat(error.param()).contains(field);
    assertThat(error).hasMessageContaining(field + " must be ");
  }

  @Test
  @SuppressWarnings("deprecation") // by OpenAI, and asked for by old programs
  @Shows(value = Feature.LEGACY_FUNCTIONS, as = Support.REFUSED)
  void shouldRefuseFunctions() {
    assertRefused(
        "functions",
        chat().addFunction(ChatCompletionCreateParams.Function.builder().name("clock").build()));
  }

  @Test
  @Shows(value = Feature.SUFFIX, as = Support.REFUSED)
  void shouldRefuseASuffix() {
    assertRefused("suffix", completion().suffix("the end"));
  }

  @Test
  @Shows(value = Feature.CUSTOM_TOOLS, as = Support.REFUSED)
  void shouldRefuseCustomTools() {
    assertRefused(
        "tools[0]",
        chat().addCustomTool(ChatCompletionCustomTool.Custom.builder().name("free_text").build()));
  }

  @Test
  @Shows(value = Feature.ALLOWED_TOOLS, as = Support.REFUSED)
  void shouldRefuseAllowedTools() {
    assertRefused(
        "tool_choice",
        chat()
            .addFunctionTool(FunctionDefinition.builder().name("clock").build())
            .toolChoice(
                ChatCompletionAllowedToolChoice.builder()
                    .allowedTools(
                        ChatCompletionAllowedTools.builder()
                            .mode(ChatCompletionAllowedTools.Mode.AUTO)
                            .addTool(
                                ChatCompletionAllowedTools.Tool.builder()
                                    .putAdditionalProperty("type", JsonValue.from("function"))
                                    .build())
                            .build())
                    .build()));
  }

  @Test
  @Shows(value = Feature.REASONING, as = Support.REFUSED)
  void shouldRefuseAnEffort() {
    assertRefused("reasoning_effort", chat().reasoningEffort(ReasoningEffort.HIGH));
  }

  @Test
  @Shows(value = Feature.WEB_SEARCH, as = Support.REFUSED)
  void shouldRefuseToSearch() {
    assertRefused(
        "web_search_options",
        chat()
            .webSearchOptions(
                ChatCompletionCreateParams.WebSearchOptions.builder()
                    .searchContextSize(
                        ChatCompletionCreateParams.WebSearchOptions.SearchContextSize.LOW)
                    .build()));
  }

  @Test
  @Shows(value = Feature.IMAGES, as = Support.REFUSED)
  void shouldRefuseImages() {
    final ChatCompletionContentPart image =
        ChatCompletionContentPart.ofImageUrl(
            ChatCompletionContentPartImage.builder()
                .imageUrl(
                    ChatCompletionContentPartImage.ImageUrl.builder()
                        .url("data:image/png;base64,AAAA")
                        .build())
                .build());

    assertRefused(
        "messages[1].content", chat().addUserMessageOfArrayOfContentParts(List.of(image)));
  }

  @Test
  @Shows(value = Feature.EMBEDDINGS, as = Support.REFUSED)
  void shouldHaveNoEmbeddings() {
    final NotFoundException error =
        catchThrowableOfType(
            NotFoundException.class,
            () ->
                client
                    .embeddings()
                    .create(
                        EmbeddingCreateParams.builder()
                            .model(Connection.MODEL)
                            .input("text")
                            .build()));
    assertThat(error).hasMessageContaining("/v1/embeddings");
  }

  @Test
  @Shows(value = Feature.RESPONSES, as = Support.REFUSED)
  void shouldHaveNoResponses() {
    final NotFoundException error =
        catchThrowableOfType(
            NotFoundException.class,
            () ->
                client
                    .responses()
                    .create(
                        ResponseCreateParams.builder()
                            .model(Connection.MODEL)
                            .input("text")
                            .build()));
    assertThat(error).hasMessageContaining("/v1/responses");
  }
}
