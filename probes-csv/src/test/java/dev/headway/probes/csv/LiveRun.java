package dev.headway.probes.csv;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.RejectedEvent;
import dev.headway.api.request.Request;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A real engine in virtual time whose journal is written, and what was heard of its requests. */
public final class LiveRun implements AutoCloseable {

  /** Usable KV blocks of four tokens. */
  final int blocks;

  public final VirtualClock clock = new VirtualClock();
  public final PuppetExecutor executor;
  final Path journal;

  /** Terminal events that a probe heard, by id. */
  final Map<String, List<String>> toldToProbe = new LinkedHashMap<>();

  /** Outcomes that listeners heard, by id. */
  final Map<String, List<String>> toldToListener = new LinkedHashMap<>();

  final List<RequestHandle> handles = new ArrayList<>();
  private final JournalProbe journalProbe;
  private @Nullable Engine engine;
  private UnaryOperator<EngineBuilder> settings = builder -> builder;
  private SchedulerLimits limits =
      SchedulerLimits.builder().maxNumSeqs(8).maxNumBatchedTokens(64).maxModelLen(128).build();

  public LiveRun(Path journal, int blocks) throws IOException {
    this.journal = journal;
    this.blocks = blocks;
    this.executor =
        new PuppetExecutor(
            ExecutorShape.builder()
                .kvCache(KvCacheShape.builder().blockSize(4).blocks(blocks + 1).build())
                .maxNumSeqs(8)
                .vocabularySize(1_000)
                .maxStepsInFlight(2)
                .build(),
            clock);
    this.journalProbe = JournalProbe.open(journal, JournalLevel.FULL);
  }

  LiveRun seats(int seats) {
    limits =
        SchedulerLimits.builder()
            .maxNumSeqs(seats)
            .maxNumBatchedTokens(64)
            .maxModelLen(128)
            .build();
    return this;
  }

  public LiveRun settings(UnaryOperator<EngineBuilder> more) {
    settings = more;
    return this;
  }

  /** The engine; settings cannot be changed after the first call. */
  public Engine engine() {
    if (engine == null) {
      final EngineBuilder builder =
          HeadwayEngine.builder(executor)
              .limits(limits)
              .clock(clock)
              .probe(new Terminals())
              .probe(journalProbe);
      engine = settings.apply(builder).build();
    }
    return engine;
  }

  /** Submits a request with a prompt that shares nothing. */
  public RequestHandle submit(String id, int promptTokens, int outputs) {
    return submit(request(id, promptTokens).maxTokens(outputs));
  }

  public RequestHandle submit(Request.Builder request) {
    return submit(request, TokenListener.NONE);
  }

  public RequestHandle submit(Request.Builder request, TokenListener listener) {
    final Request built = request.build();
    final RequestHandle handle = engine().submit(built, new Listener(built.id(), listener));
    handles.add(handle);
    return handle;
  }

  public static Request.Builder request(String id, int promptTokens) {
    final int[] prompt = new int[promptTokens];
    for (int i = 0; i < promptTokens; i++) {
      prompt[i] = Math.floorMod(31 * id.hashCode() + i, 1_000);
    }
    return Request.builder(id, prompt);
  }

  public LiveRun steps(int count) {
    for (int i = 0; i < count; i++) {
      engine().step();
      clock.advance(10);
    }
    return this;
  }

  /** Steps until nothing is left to do. */
  public LiveRun finish() {
    for (int i = 0; i < 10_000 && engine().step(); i++) {
      clock.advance(10);
    }
    return this;
  }

  @Override
  public void close() {
    engine().close();
  }

  private final class Listener implements TokenListener {

    private final String id;
    private final TokenListener next;

    Listener(String id, TokenListener next) {
      this.id = id;
      this.next = next;
    }

    @Override
    public void onToken(int index, int tokenId) {
      next.onToken(index, tokenId);
    }

    @Override
    public void onDone(RequestOutcome outcome) {
      final String end =
          switch (outcome) {
            case RequestOutcome.Finished finished -> finished.reason().label();
            case RequestOutcome.Rejected rejected -> "rejected: " + rejected.reason().label();
          };
      toldToListener.computeIfAbsent(id, key -> new ArrayList<>()).add(end);
      next.onDone(outcome);
    }
  }

  private final class Terminals implements Probe {

    @Override
    public void onRejected(RejectedEvent event) {
      tell(event.request().id(), "rejected: " + event.reason().label());
    }

    @Override
    public void onFinished(FinishedEvent event) {
      tell(event.request().id(), event.reason().label());
    }

    private void tell(String id, String end) {
      toldToProbe.computeIfAbsent(id, key -> new ArrayList<>()).add(end);
    }
  }
}
