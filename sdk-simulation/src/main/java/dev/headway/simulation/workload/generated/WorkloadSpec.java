package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.RandomStream;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.arrival.ArrivalProcess;
import dev.headway.simulation.workload.arrival.RateProfile;
import dev.headway.simulation.workload.arrival.RateProfile.Stage;
import dev.headway.simulation.workload.generated.SpecClient.Behaviour;
import dev.headway.simulation.workload.generated.SpecClient.Window;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A workload spec of BLIS, version 2: clients and cohorts with rates, lengths and times.
 *
 * <p>Rates are those of BLIS: a client gets {@code aggregate_rate} in proportion to its fraction
 * among the clients that are active when it is; windows with a {@code trace_rate} are in proportion
 * to each other, or with an aggregate rate of 0 have just that rate. Random numbers are drawn
 * otherwise, so that the requests are alike but not equal. Where BLIS fits the last arrival of such
 * a window to its end, arrivals here stay random. Classes, models, networks, time limits and
 * streaming are read and not used.
 */
final class WorkloadSpec {
  private static final int USUAL_PREFIX_TOKENS = 50;
  private static final int MOST_CLIENTS = 200_000;

  private final String name;
  private final long seed;
  private final double aggregateRate;
  private final double endSeconds;
  private final int requests;
  private final List<SpecClient> clients;
  private final boolean windowed;
  private final Map<String, Integer> prefixTokens = new HashMap<>();
  private final Map<String, Integer> prefixGroups = new HashMap<>();

  private WorkloadSpec(String name, SpecNode top) {
    this.name = name;
    seed = top.integer("seed", 0, Long.MIN_VALUE, Long.MAX_VALUE);
    aggregateRate = top.number("aggregate_rate", 0);
    requests = (int) top.integer("num_requests", 0, 0, 10_000_000);
    final double horizon = SpecClient.seconds(top, "horizon");
    endSeconds = horizon == 0 ? Double.POSITIVE_INFINITY : horizon;
    clients = new ArrayList<>(top.children("clients").stream().map(SpecClient::client).toList());
    top.children("cohorts").forEach(cohort -> clients.add(SpecClient.cohort(cohort)));
    windowed = clients.stream().anyMatch(c -> c.windows().stream().anyMatch(Window::isOwn));
    check(top);
    for (SpecClient client : clients) {
      if (!client.prefixGroup().isBlank()) {
        prefixTokens.putIfAbsent(
            client.prefixGroup(),
            client.prefixTokens() == 0 ? USUAL_PREFIX_TOKENS : client.prefixTokens());
      }
    }
  }

  private void check(SpecNode top) {
    final String version = top.text("version", "");
    if (!List.of("", "1", "2").contains(version)) {
      throw top.wrong("version", "must be \"2\"");
    }
    if (!List.of("", "language", "reasoning").contains(top.text("category", ""))) {
      throw top.wrong("category", "must be language or reasoning");
    }
    top.refuse("open the directory itself", "servegen_data");
    top.refuse("write its stages as clients", "inference_perf");
    top.requireNoOthers();
    if (clients.isEmpty()) {
      throw top.wrong("clients", "must name a client, or cohorts must");
    }
    if (clients.stream().mapToLong(SpecClient::members).sum() > MOST_CLIENTS) {
      throw top.wrong("cohorts", "must have at most " + MOST_CLIENTS + " members");
    }
    if (aggregateRate < 0 || (aggregateRate == 0 && !windowed)) {
      throw top.wrong("aggregate_rate", "must be > 0 unless windows have a trace_rate");
    }
    if (windowed && clients.stream().anyMatch(client -> client.windows().isEmpty())) {
      throw top.wrong("clients", "must all have windows if one has windows of its own rate");
    }
    final boolean absolute = windowed && aggregateRate == 0;
    if (absolute
        && clients.stream()
            .flatMap(client -> client.windows().stream())
            .anyMatch(window -> Double.isNaN(window.traceRate()))) {
      throw top.wrong("aggregate_rate", "must be > 0 unless every window has a trace_rate");
    }
    final boolean endless = clients.stream().anyMatch(client -> client.windows().isEmpty());
    if (requests == 0 && endSeconds == Double.POSITIVE_INFINITY && endless) {
      throw top.wrong("num_requests", "must be > 0, or horizon must");
    }
  }

  /** Reads a spec, and starts its load. */
  static Workload open(String name, SpecNode top) {
    final WorkloadSpec spec = new WorkloadSpec(name, top);
    return top.at(spec::start);
  }

  private Workload start() {
    final List<GeneratedLoad> loads = new ArrayList<>();
    for (SpecClient client : clients) {
      final double rate = windowed ? 0 : staticRate(client);
      for (int member = 0; member < client.members(); member++) {
        addMember(client, member, rate / client.members(), loads);
      }
    }
    return new MergedLoad(name, loads, requests == 0 ? Long.MAX_VALUE : requests);
  }

  private void addMember(SpecClient client, int member, double rate, List<GeneratedLoad> loads) {
    if (!windowed) {
      final RateProfile profile =
          client.windows().isEmpty() ? RateProfile.constant(rate) : within(client.windows(), rate);
      loads.add(load(client, member, "", client.usual(), profile));
      return;
    }
    for (int i = 0; i < client.windows().size(); i++) {
      final Window window = client.windows().get(i);
      final double windowRate = windowRate(client, window) / client.members();
      if (windowRate > 0) {
        final Behaviour own = window.own() == null ? client.usual() : window.own();
        loads.add(load(client, member, " window " + i, own, within(List.of(window), windowRate)));
      }
    }
  }

  private GeneratedLoad load(
      SpecClient client, int member, String part, Behaviour behaviour, RateProfile profile) {
    final String id = client.memberId(member);
    final GeneratedLoad.Builder builder =
        GeneratedLoad.builder(id)
            .seed(RandomStream.of(seed, "client " + id + part).nextLong())
            .requests(requests == 0 ? 10_000_000 : requests)
            .arrivals(ArrivalProcess.of(behaviour.gaps(), profile))
            .input(behaviour.input())
            .output(behaviour.output())
            .tenant(client.tenant());
    if (endSeconds < Double.POSITIVE_INFINITY) {
      builder.endSeconds(endSeconds);
    }
    if (!client.prefixGroup().isBlank()) {
      final String group = client.prefixGroup() + (client.prefixPerMember() ? " " + id : "");
      final int block = prefixGroups.computeIfAbsent(group, unused -> prefixGroups.size());
      builder.prefixes(
          block, 1, prefixTokens.getOrDefault(client.prefixGroup(), USUAL_PREFIX_TOKENS));
    }
    return builder.build();
  }

  /** A client's rate where no window has its own: the same in all of its windows. */
  private double staticRate(SpecClient client) {
    final double active =
        clients.stream().filter(client::overlaps).mapToDouble(SpecClient::fraction).sum();
    return aggregateRate * client.fraction() / active;
  }

  /** A window's rate where windows have their own; each other client counts once. */
  private double windowRate(SpecClient client, Window window) {
    final double own = weight(client, window);
    if (aggregateRate == 0) {
      return own;
    }
    double active = 0;
    for (SpecClient other : clients) {
      active +=
          other.windows().stream()
              .filter(window::overlaps)
              .mapToDouble(with -> weight(other, with))
              .findFirst()
              .orElse(0);
    }
    return active == 0 ? 0 : aggregateRate * own / active;
  }

  private static double weight(SpecClient client, Window window) {
    return Double.isNaN(window.traceRate()) ? client.fraction() : window.traceRate();
  }

  /** A rate that holds in windows and is 0 between them; windows that overlap count once. */
  private static RateProfile within(List<Window> windows, double rate) {
    final List<Stage> stages = new ArrayList<>();
    double now = 0;
    for (Window window :
        windows.stream().sorted(Comparator.comparingDouble(Window::startSeconds)).toList()) {
      if (window.startSeconds() > now) {
        stages.add(new Stage(window.startSeconds() - now, 0, 0));
        now = window.startSeconds();
      }
      if (window.endSeconds() > now) {
        stages.add(new Stage(window.endSeconds() - now, rate, rate));
        now = window.endSeconds();
      }
    }
    return RateProfile.stages(stages, 0);
  }
}
