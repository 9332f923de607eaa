package dev.headway.langchain4j;

import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.common.AbstractStreamingChatModelListenerIT;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import org.junit.jupiter.api.AfterEach;

/** LangChain4j's tests of listeners to answers that are streamed. */
class StreamingChatModelListenerContractTest extends AbstractStreamingChatModelListenerIT {

  private InProcess given;

  @AfterEach
  void close() {
    given.close();
  }

  @Override
  protected StreamingChatModel createModel(ChatModelListener listener) {
    given = InProcess.always("hello");
    return given
        .streaming()
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
  protected StreamingChatModel createFailingModel(ChatModelListener listener) {
    given = InProcess.always("hello");
    return given
        .streaming()
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
