package dev.headway.examples.custompolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.Request;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.policy.PolicyContract;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The policy keeps the contract, decides in an engine, and is found where its jar is, by name. */
class CustomPolicyTest {

  private static final String PACKAGE = "dev.headway.examples.custompolicy";

  /** What {@code target/headway-examples-*-custom-policy.jar} is made of. */
  private static final Path JAR_CONTENT = Path.of("target", "custom-policy");

  /** Preemptions by request when the one admitted last is preempted. */
  private static final Map<String, Integer> UNEVEN =
      Map.of("r1", 1, "r2", 2, "r3", 2, "r4", 1, "r5", 3);

  private static final Map<String, Integer> EVEN =
      Map.of("r1", 1, "r2", 2, "r3", 2, "r4", 2, "r5", 2);

  private final PreemptionCount preemptions = new PreemptionCount();

  /** A class path that does not have the custom policy. */
  private static final class WithoutPolicy extends ClassLoader {
    WithoutPolicy() {
      super(CustomPolicyTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith(PACKAGE)) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, resolve);
    }
  }

  private static URLClassLoader withJar() throws IOException {
    assertThat(JAR_CONTENT).isDirectory();
    return new URLClassLoader(new URL[] {JAR_CONTENT.toUri().toURL()}, new WithoutPolicy());
  }

  /** How often each request was preempted. */
  private static final class PreemptionCount implements Probe {
    private final Map<String, Integer> byId = new TreeMap<>();

    @Override
    public void onPreempted(PreemptedEvent event) {
      byId.merge(event.request().id(), 1, Integer::sum);
    }
  }

  /** A cache too small for its four seats. */
  private EngineBuilder engine() {
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(4).blocks(25).build())
            .maxNumSeqs(4)
            .vocabularySize(1_000)
            .build();
    final LinearLatencyModel latency = new LinearLatencyModel(1_000, 0, 0, 0);
    return HeadwayEngine.builder(new SimulatedExecutor(shape, latency, clock, 1))
        .clock(clock)
        .limits(
            SchedulerLimits.builder().maxNumSeqs(4).maxNumBatchedTokens(64).maxModelLen(80).build())
        .probe(preemptions);
  }

  private static void runSixRequests(EngineBuilder builder) {
    try (Engine engine = builder.build()) {
      final List<RequestHandle> handles = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        handles.add(engine.submit(Request.builder("r" + i, 10 + i, 2, 3).maxTokens(60).build()));
      }
      while (engine.step()) {
        // until all have ended
      }
      assertThat(handles).allMatch(RequestHandle::isDone);
    }
  }

  // @start region="contract"
  @Test
  void shouldKeepTheContract() {
    PolicyContract.of(() -> Policies.builder().victim(new SparePreempted(4)).build())
        .check()
        .verify();
  }

  // @end

  @Test
  void shouldPreemptTheLastOneMostWithoutThePolicy() {
    runSixRequests(engine());

    assertThat(preemptions.byId).isEqualTo(UNEVEN);
  }

  @Test
  void shouldSpareWhoWasPreemptedBefore() {
    runSixRequests(engine().policies(Policies.builder().victim(new SparePreempted(4)).build()));

    assertThat(preemptions.byId).isEqualTo(EVEN);
  }

  @Test
  void shouldBeFoundByName() throws IOException {
    try (URLClassLoader loader = withJar()) {
      runSixRequests(engine().classLoader(loader).policy("spare-preempted", Map.of("limit", "4")));
    }

    assertThat(preemptions.byId).isEqualTo(EVEN);
  }

  @Test
  void shouldNotBeFoundWithoutItsJar() {
    final EngineBuilder builder =
        engine().classLoader(new WithoutPolicy()).policy("spare-preempted");

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("no policy named 'spare-preempted': found=[cost-aware, ");
  }

  @Test
  void shouldRefuseOptionsItDoesNotHave() {
    assertThatThrownBy(
            () ->
                new SparePreemptedProvider().create(PolicyContract.context(Map.of("limits", "4"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("spare-preempted has one option, limit: options={limits=4}");
  }

  // @start region="isolation"
  @Test
  void shouldGoOnWithTheDefaultWhenThePolicyThrows() {
    final VictimPolicy broken =
        (needy, neededBlocks, step) -> {
          throw new IllegalStateException("not today");
        };

    runSixRequests(engine().policies(Policies.builder().victim(broken).build()));

    assertThat(preemptions.byId).isEqualTo(UNEVEN); // as without it
  }
  // @end
}
