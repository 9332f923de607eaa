package dev.headway.examples.langchain4j;

import static dev.langchain4j.model.LambdaStreamingResponseHandler.onPartialResponse;

import dev.headway.events.live.LiveProbe;
import dev.headway.executor.model.Model;
import dev.headway.executor.reference.ReferenceExecutor;
import dev.headway.langchain4j.HeadwayChatModel;
import dev.headway.langchain4j.HeadwayChatResponseMetadata;
import dev.headway.langchain4j.HeadwayStreamingChatModel;
import dev.headway.probes.otel.metric.HeadwayMeters;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.serving.ServedModel;
import dev.headway.serving.chat.BuiltInTemplate;
import dev.headway.serving.tokenizer.FileTokenizer;
import dev.langchain4j.data.message.UserMessage;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;

/** Two chats on an engine that runs one request at a time: the second says why it waited. */
public class TwoStories {
  public static void main(String... args) throws Exception {
    var weights = Model.load(Path.of(args[0])); // a Hugging Face folder
    int[] ends = weights.config().eosTokenIds().stream().mapToInt(id -> id).toArray();
    int vocabulary = weights.config().vocabularySize();
    var cpu = ReferenceExecutor.builder(weights, new SystemNanoClock()).maxNumSeqs(1).numBlocks(64);
    var meters = new HeadwayMeters();
    var registry = new SimpleMeterRegistry(); // or the one that your application has
    meters.bindTo(registry);

    try (var tokens = FileTokenizer.open(Path.of(args[0]));
        var engine = HeadwayEngine.builder(cpu.build()).probe(LiveProbe.of(meters)).build()) {
      engine.start(Thread.ofPlatform().name("headway").factory());
      var served = new ServedModel("stories", tokens, BuiltInTemplate.PLAIN, ends, vocabulary, 256);
      var streaming = HeadwayStreamingChatModel.builder().engine(engine).model(served).build();
      var whole = HeadwayChatModel.builder().engine(engine).model(served).build();

      streaming.chat("A story of a cat", onPartialResponse(System.out::print));
      var dog = whole.chat(UserMessage.from("A story of a dog"));
      System.out.println("\n\nwaited " + ((HeadwayChatResponseMetadata) dog.metadata()).waits());
    }
    System.out.println(registry.getMetersAsString());
  }
}
