package dev.headway.examples.langchain4j;

import dev.headway.api.engine.Engine;
import dev.headway.executor.model.Model;
import dev.headway.executor.reference.ReferenceExecutor;
import dev.headway.langchain4j.HeadwayChatModel;
import dev.headway.langchain4j.HeadwayChatResponseMetadata;
import dev.headway.langchain4j.HeadwayStreamingChatModel;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.ServedModel;
import dev.headway.serving.chat.BuiltInTemplate;
import dev.headway.serving.tokenizer.FileTokenizer;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import java.nio.file.Path;

/** Two chats on an engine that runs one request at a time: the second says why it waited. */
public final class TwoStories {

  private TwoStories() {}

  /**
   * Runs them.
   *
   * @param args a Hugging Face folder
   */
  public static void main(String... args) throws Exception {
    // @start region="embed"
    Path folder = Path.of(args[0]);
    Model weights = Model.load(folder);
    var executor = ReferenceExecutor.builder(weights, new SystemNanoClock()).maxNumSeqs(1);
    int[] ends = weights.config().eosTokenIds().stream().mapToInt(id -> id).toArray();
    int vocabulary = weights.config().vocabularySize();
    EngineTimes times = new EngineTimes(); // with it, answers say when they were queued

    try (FileTokenizer tokens = FileTokenizer.open(folder);
        Engine engine =
            HeadwayEngine.builder(executor.numBlocks(64).build()).probe(times).build()) {
      engine.start(Thread.ofPlatform().name("headway").factory());
      var served = new ServedModel("stories", tokens, BuiltInTemplate.PLAIN, ends, vocabulary, 256);
      var first = HeadwayStreamingChatModel.builder().engine(engine).model(served);
      var second = HeadwayChatModel.builder().engine(engine).model(served).engineTimes(times);

      first.build().chat("A story of a cat", new Printer());
      ChatResponse dog = second.build().chat(UserMessage.from("A story of a dog"));
      print(dog);
    }
    // @end
  }

  // @start region="handler"
  private static class Printer implements StreamingChatResponseHandler {
    @Override
    public void onPartialResponse(String text) {
      System.out.print(text);
    }

    @Override
    public void onCompleteResponse(ChatResponse response) {
      print(response);
    }

    @Override
    public void onError(Throwable error) {
      System.err.println(error);
    }
  }

  private static void print(ChatResponse response) {
    var metadata = (HeadwayChatResponseMetadata) response.metadata();
    double firstMs = (metadata.firstTokenNs().orElseThrow() - metadata.arrivalNs()) / 1e6;
    System.out.printf("%n%s: first token after %.1f ms", response.tokenUsage(), firstMs);
    System.out.printf(", waited %s%n", metadata.waits());
  }
  // @end
}
