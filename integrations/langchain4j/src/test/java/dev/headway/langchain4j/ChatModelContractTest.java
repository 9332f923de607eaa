package dev.headway.langchain4j;

import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.common.AbstractChatModelIT;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.response.ChatResponseMetadata;
import java.util.List;
import org.junit.jupiter.api.AfterAll;

/** LangChain4j's tests of every chat model; an executor answers what their questions ask for. */
class ChatModelContractTest extends AbstractChatModelIT {

  private final InProcess given = InProcess.scripted(Script::answer);

  @AfterAll
  void close() {
    given.close();
  }

  @Override
  protected List<ChatModel> models() {
    return List.of(given.chat().build());
  }

  @Override
  protected ChatModel createModelWith(ChatRequestParameters parameters) {
    return given.chat().defaultRequestParameters(parameters).build();
  }

  @Override
  protected ChatRequestParameters createIntegrationSpecificParameters(int maxOutputTokens) {
    return HeadwayChatRequestParameters.builder().maxOutputTokens(maxOutputTokens).build();
  }

  @Override
  protected Class<? extends ChatResponseMetadata> chatResponseMetadataType(ChatModel model) {
    return HeadwayChatResponseMetadata.class;
  }

  /** The engine runs one model; another name is refused. */
  @Override
  protected boolean supportsModelNameParameter() {
    return false;
  }

  @Override
  protected boolean supportsSingleImageInputAsBase64EncodedString() {
    return false;
  }

  @Override
  protected boolean supportsSingleImageInputAsPublicURL() {
    return false;
  }
}
