package dev.headway.examples.custompolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.engine.Engine;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.Request;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.policy.PolicyContract;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The order keeps the contract of policies, and gives each tenant its turn. */
class TenantsInTurnTest {

  private final Admissions admissions = new Admissions();

  /** The ids of requests in the order of their admission. */
  private static final class Admissions implements Probe {
    private final List<String> ids = new ArrayList<>();

    @Override
    public void onAdmitted(AdmittedEvent event) {
      ids.add(event.request().id());
    }
  }

  private static Policies turns(Map<String, String> options) {
    final PolicyContext context = PolicyContract.context(options);
    return new TenantsInTurnProvider().create(context);
  }

  /** One seat; all requests wait before the first is admitted. */
  private void run(Policies policies, String... ids) {
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(64).build())
            .maxNumSeqs(1)
            .vocabularySize(1_000)
            .build();
    final LinearLatencyModel latency = new LinearLatencyModel(1_000, 0, 0, 0);
    try (Engine engine =
        HeadwayEngine.builder(new SimulatedExecutor(shape, latency, clock, 1))
            .clock(clock)
            .policies(policies)
            .probe(admissions)
            .build()) {
      for (String id : ids) {
        engine.submit(Request.builder(id, 1, 2, 3).tenant(id.substring(0, 1)).maxTokens(5).build());
      }
      while (engine.step()) {
        // until all have ended
      }
    }
  }

  @Test
  void shouldKeepTheContract() {
    PolicyContract.of(() -> turns(Map.of())).starvationFree().check().verify();
  }

  @Test
  void shouldAdmitTenantsInTurn() {
    run(turns(Map.of()), "a0", "a1", "a2", "b0", "b1", "c0");

    assertThat(admissions.ids).containsExactly("a0", "b0", "c0", "a1", "b1", "a2");
  }

  @Test
  void shouldAdmitByArrivalWithoutThePolicy() {
    run(Policies.NONE, "a0", "a1", "a2", "b0", "b1", "c0");

    assertThat(admissions.ids).containsExactly("a0", "a1", "a2", "b0", "b1", "c0");
  }

  @Test
  void shouldRefuseOptions() {
    assertThatThrownBy(() -> turns(Map.of("tenants", "2")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("tenants-in-turn has no options: options={tenants=2}");
  }
}
