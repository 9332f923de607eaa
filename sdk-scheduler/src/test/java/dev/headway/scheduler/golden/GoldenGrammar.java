package dev.headway.scheduler.golden;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Grammar;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepPlan;
import dev.headway.api.step.TokenConstraints;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import dev.headway.scheduler.state.RequestState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** Structured output in recorded runs: its grammars are compiled by operations of the run. */
final class GoldenGrammar implements Probe {

  private static final int END = 2;

  private final ContinuousBatchingScheduler scheduler;
  private final boolean present;
  private final Map<String, CompletableFuture<Grammar>> stages = new HashMap<>();
  private final Map<String, Mock> compiling = new HashMap<>();

  /** Held, or released and not looked at by admissions since. */
  private final Set<String> blocked = new HashSet<>();

  private final List<List<Object>> advances = new ArrayList<>();
  private final List<String> errors = new ArrayList<>();

  GoldenGrammar(GoldenTrace trace, ContinuousBatchingScheduler scheduler) {
    this.scheduler = scheduler;
    present = trace.config().path("grammar").asBoolean(false);
  }

  boolean present() {
    return present;
  }

  /** A request of the run may be constrained. */
  void add(JsonNode line, Request.Builder builder) {
    if (line.hasNonNull("structured")) {
      final String id = line.get("id").asString();
      final CompletableFuture<Grammar> stage = new CompletableFuture<>();
      stages.put(id, stage);
      compiling.put(id, new Mock(line.get("structured")));
      blocked.add(id);
      builder.grammar(stage, null);
    }
  }

  /** A compilation ends, of a request that may have ended. */
  void compiled(JsonNode line, RequestView request) {
    final String id = line.get("id").asString();
    if (request == null) {
      return;
    }
    if (line.get("ok").asBoolean()) {
      stages.get(id).complete(compiling.get(id));
      scheduler.release(request, request.request().holds().getFirst());
    } else {
      scheduler.finish(request, FinishReason.HOLD_FAILED, new IllegalStateException("no grammar"));
    }
  }

  /** The recorded flags of a plan. */
  static List<Boolean> flags(StepPlan plan) {
    return List.of(!plan.constraints().isEmpty(), plan.constraints().awaitOutputs());
  }

  /** The constrained requests of a plan, and how far the grammar is in each of their rows. */
  static Map<String, Object> rows(StepPlan plan) {
    final TokenConstraints constraints = plan.constraints();
    final List<Object> ids = new ArrayList<>();
    final List<Object> rows = new ArrayList<>();
    for (int entry = 0; entry < plan.size(); entry++) {
      final int count = constraints.rows(entry);
      if (count > 0) {
        final int[] masks = new int[count];
        constraints.fill(entry, masks, 0, 1);
        ids.add(plan.request(entry).id());
        for (int mask : masks) {
          rows.add(mask);
        }
      }
    }
    final Map<String, Object> expected = new LinkedHashMap<>();
    expected.put("ids", ids.isEmpty() ? null : ids);
    expected.put("rows", ids.isEmpty() ? null : rows);
    return expected;
  }

  /** The pending drafts of a request; null if it is not known. */
  static List<Object> kept(String id, RequestView request) {
    final List<Object> pair = new ArrayList<>();
    pair.add(id);
    if (request == null) {
      pair.add(null);
      return pair;
    }
    final RequestState state = (RequestState) request;
    final int[] drafts = new int[state.pendingDrafts];
    state.copyDrafts(drafts, 0, drafts.length);
    final List<Object> tokens = new ArrayList<>();
    for (int draft : drafts) {
      tokens.add(draft);
    }
    pair.add(tokens);
    return pair;
  }

  /** Outputs are taken over from now on. */
  void beginUpdate() {
    advances.clear();
    errors.clear();
  }

  /** Outputs of a request were taken over; they advance its grammar if it has one. */
  void advance(String id, List<Integer> tokens) {
    if (stages.containsKey(id)) {
      advances.add(new ArrayList<>(List.of(id, tokens, true)));
    }
  }

  List<Object> advances() {
    return List.copyOf(advances);
  }

  List<String> errors() {
    Collections.sort(errors);
    return List.copyOf(errors);
  }

  /** Those held, in the order of {@code skipped} and {@code waiting}. */
  List<Object> blocked(List<String> passedOver, List<String> waiting) {
    final List<Object> held = new ArrayList<>();
    for (List<String> line : List.of(passedOver, waiting)) {
      line.stream().filter(blocked::contains).forEach(id -> held.add(List.of(id, "grammar")));
    }
    return held;
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    blocked.remove(event.request().id());
  }

  @Override
  public void onBlocked(BlockedEvent event) {
    final RequestState request = (RequestState) event.request();
    if (event.atNs() == ABSENT && request.holdFailure == null) {
      blocked.remove(request.id());
    }
  }

  @Override
  public void onFinished(FinishedEvent event) {
    blocked.remove(event.request().id());
    if (event.reason() == FinishReason.GRAMMAR_REFUSED) {
      advances.getLast().set(2, false);
    }
    if (event.reason() == FinishReason.HOLD_FAILED) {
      errors.add(event.request().id());
    }
  }

  /** The grammar of the recordings: so many tokens of a class, then the end. */
  private final class Mock implements Grammar {

    private final int modulus;
    private final int offset;
    private final int length;
    private int accepted;
    private boolean terminated;

    Mock(JsonNode given) {
      modulus = given.get("mod").asInt();
      offset = given.get("off").asInt();
      length = given.get("len").asInt();
    }

    @Override
    public boolean accept(int tokenId) {
      final boolean allows =
          accepted == length
              ? tokenId == END
              : tokenId != END && tokenId % modulus == (accepted + offset) % modulus;
      if (allows) {
        terminated = accepted == length;
        accepted++;
      }
      return allows;
    }

    @Override
    public void rollback(int tokens) {
      terminated &= tokens == 0;
      accepted -= tokens;
    }

    @Override
    public boolean isTerminated() {
      return terminated;
    }

    @Override
    public void fillMask(int[] mask, int at) {
      mask[at] = accepted;
    }
  }
}
