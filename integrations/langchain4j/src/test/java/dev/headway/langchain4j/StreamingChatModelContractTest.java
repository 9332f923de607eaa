package dev.headway.langchain4j;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;

import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.common.AbstractStreamingChatModelIT;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.response.ChatResponseMetadata;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.mockito.InOrder;

/** LangChain4j's tests of every streaming chat model; an executor answers what they ask for. */
class StreamingChatModelContractTest extends AbstractStreamingChatModelIT {

  private static final String MUNICH = "{\"city\":\"Munich\"}";
  private static final String FRANCE = "{\"country\":\"France\"}";

  private final InProcess given = InProcess.scripted(Script::answer);

  @AfterAll
  void close() {
    given.close();
  }

  @Override
  protected List<StreamingChatModel> models() {
    return List.of(given.streaming().build());
  }

  @Override
  protected StreamingChatModel createModelWith(ChatRequestParameters parameters) {
    return given.streaming().defaultRequestParameters(parameters).build();
  }

  @Override
  public StreamingChatModel createModelWith(ChatModelListener listener) {
    return given.streaming().listeners(listener).build();
  }

  @Override
  protected ChatRequestParameters createIntegrationSpecificParameters(int maxOutputTokens) {
    return HeadwayChatRequestParameters.builder().maxOutputTokens(maxOutputTokens).build();
  }

  @Override
  protected void verifyToolCallbacks(StreamingChatResponseHandler handler, InOrder io, String id) {
    io.verify(handler).onPartialToolCall(eq(partial(0, id, "getWeather", MUNICH)), any());
    io.verify(handler).onCompleteToolCall(complete(0, id, "getWeather", MUNICH));
  }

  @Override
  protected void verifyToolCallbacks(
      StreamingChatResponseHandler handler, InOrder io, String id1, String id2) {
    verifyToolCallbacks(handler, io, id1);
    io.verify(handler).onPartialToolCall(eq(partial(1, id2, "getTime", FRANCE)), any());
    io.verify(handler).onCompleteToolCall(complete(1, id2, "getTime", FRANCE));
  }

  @Override
  protected Class<? extends ChatResponseMetadata> chatResponseMetadataType(
      StreamingChatModel model) {
    return HeadwayChatResponseMetadata.class;
  }

  /** LangChain4j's test waits 30 s for nothing to come; ours of cancellation waits for no time. */
  @Override
  protected boolean supportsStreamingCancellation() {
    return Boolean.getBoolean("headway.slow");
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
