package dev.headway.routing.core.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.routing.core.RequestRouter;
import dev.headway.routing.core.WorkerSpec;
import dev.headway.routing.policy.RoutingContext;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.WorkerLoad;
import dev.headway.routing.policy.builtin.RoutingPolicies;
import java.io.IOException;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class DecisionCsvTest {

  @Test
  void shouldWriteARowForEachWorker() throws IOException {
    final StringWriter out = new StringWriter();
    try (DecisionCsv csv = new DecisionCsv(out)) {
      final RequestRouter router =
          RequestRouter.builder(
                  new RoutingPolicies(getClass().getClassLoader())
                      .create("cache-aware", RoutingContext.ofSeed(1)))
              .listener(csv)
              .build();
      router.add(WorkerSpec.of("a", ""));
      router.add(WorkerSpec.of("b", ""));
      router.add(WorkerSpec.of("c", ""));
      router.drain("c");
      router.report("b", new WorkerLoad(5, 1, 0, 0.5, 40));

      router.route(RoutingRequest.builder("r1").tokens(1, 2, 3).nowNs(100).build()).firstToken();
      router.route(RoutingRequest.builder("r2").tokens(1, 2, 9).nowNs(200).build());
    }

    assertThat(out.toString().lines())
        .containsExactly(
            "request_id,attempt,at_ns,policy,policy_branch,candidates,worker_id,chosen,refusal,load,"
                + "signal_age_ns,prompt_units,matched_units,scores,total,pick_cost_ns",
            "r1,0,100,cache-aware,cache_miss_minload,2,a,1,,0,,3,0,"
                + "saved_tokens=0;pending_tokens=0,0,0",
            "r1,0,100,cache-aware,cache_miss_minload,2,b,0,,0,60,3,0,"
                + "saved_tokens=0;pending_tokens=0,0,0",
            "r1,0,100,cache-aware,cache_miss_minload,2,c,0,draining,0,,3,0,"
                + "saved_tokens=;pending_tokens=,,0",
            "r2,0,200,cache-aware,cache_hit,2,a,1,,1,,3,2,saved_tokens=2;pending_tokens=0,2,0",
            "r2,0,200,cache-aware,cache_hit,2,b,0,,0,160,3,0,saved_tokens=0;pending_tokens=0,0,0",
            "r2,0,200,cache-aware,cache_hit,2,c,0,draining,0,,3,0,saved_tokens=;pending_tokens=,,0");
  }
}
