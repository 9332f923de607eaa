package dev.headway.langchain4j;

import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.common.AbstractChatModelListenerIT;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import org.junit.jupiter.api.AfterEach;

/** LangChain4j's tests of listeners. */
class ChatModelListenerContractTest extends AbstractChatModelListenerIT {

  private InProcess given;

  @AfterEach
  void close() {
    given.close();
  }

  @Override
  protected ChatModel createModel(ChatModelListener listener) {
    given = InProcess.always("hello");
    return given
        .chat()
        .listeners(listener)
        .defaultRequestParameters(
            HeadwayChatRequestParameters.builder()
                .modelName(modelName())
                .temperature(temperature())
                .topP(topP())
                .maxOutputTokens(maxTokens())
                .build())
        .build();
  }

  @Override
  protected String modelName() {
    return InProcess.NAME;
  }

  /** The prompt is longer than the model takes. */
  @Override
  protected ChatModel createFailingModel(ChatModelListener listener) {
    given = InProcess.always("hello");
    return given
        .chat()
        .listeners(listener)
        .defaultRequestParameters(
            HeadwayChatRequestParameters.builder().maxOutputTokens(100_000).build())
        .build();
  }

  @Override
  protected Class<? extends Exception> expectedExceptionClass() {
    return InvalidRequestException.class;
  }
}
