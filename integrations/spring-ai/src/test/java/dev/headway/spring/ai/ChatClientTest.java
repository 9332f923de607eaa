package dev.headway.spring.ai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.schedule.WaitTimes;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;

/** What the page of Spring AI shows. */
class ChatClientTest {

  @Test
  void shouldSayWhatAClientsPromptHasWaitedFor() {
    try (TestedEngine given = TestedEngine.always("A story.")) {
      assertThat(waits(given.chat().build()).byReason()).isNotNull();
    }
  }

  // @start region="client"
  private static WaitTimes waits(ChatModel model) {
    ChatClient client = ChatClient.create(model);

    ChatResponse response =
        client
            .prompt()
            .user("A story of a cat")
            .options(
                HeadwayChatOptions.builder()
                    .maxTokens(100)
                    .tenant("cats")
                    .queueTimeout(Duration.ofSeconds(2)))
            .call()
            .chatResponse();

    return HeadwayChatMetadata.of(response).orElseThrow().waits();
  }
  // @end
}
