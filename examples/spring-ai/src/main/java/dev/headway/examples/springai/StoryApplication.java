package dev.headway.examples.springai;

import dev.headway.spring.ai.HeadwayChatMetadata;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;

/** Streams stories, a token as an event each; the last event says what the request waited for. */
@SpringBootApplication
@RestController
public class StoryApplication {
  private final ChatModel model;

  StoryApplication(ChatModel model) {
    this.model = model;
  }

  public static void main(String[] args) {
    SpringApplication.run(StoryApplication.class, args);
  }

  @GetMapping(path = "/story", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  Flux<String> story(String of) {
    return model.stream(new Prompt("A story of a " + of)).map(StoryApplication::event);
  }

  private static String event(ChatResponse part) {
    return HeadwayChatMetadata.of(part)
        .map(last -> "waited " + last.waits())
        .orElseGet(() -> part.getResult().getOutput().getText());
  }
}
