package dev.headway.cli.route;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.ListenOptions;
import dev.headway.cli.command.UntilStopped;
import dev.headway.router.Router;
import dev.headway.router.RouterOptions;
import dev.headway.router.kvcache.CacheOptions;
import dev.headway.router.record.AttemptListener;
import dev.headway.router.record.RequestTracer;
import dev.headway.router.registry.WorkerEntry;
import dev.headway.router.registry.WorkerJson;
import dev.headway.routing.policy.RoutingContext;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.policy.builtin.RoutingPolicies;
import dev.headway.scheduler.time.SystemNanoClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headway route}: one address in front of several servers. */
@Command(
    name = "route",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    header = "Passes requests on to one of several servers, and says why it chose that one.",
    description = {
      "",
      "The servers are Headway's or others that speak OpenAI's protocol. Answers pass through as"
          + " they come. A request that a server refuses, or loses before its answer begins, goes to another."
          + " SIGTERM and Ctrl-C let requests under way finish.",
      ""
    },
    optionListHeading = "Options:%n",
    exitCodeList = {
      "1:The router could not start; standard error says why.",
      "2:The command line is wrong.",
      "130, 143:Stopped by Ctrl-C or SIGTERM."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headway route --workers http://127.0.0.1:8001 http://127.0.0.1:8002",
      "  headway route --workers-file workers.json \\",
      "      --policy 'cache-aware(threshold=0.3)'",
      "  headway route --workers HOST:8001 HOST:8002 --policy precise-prefix \\",
      "      --kv-events --tokenizer-path MODEL"
    })
public final class RouteCommand implements Callable<Integer> {

  @Mixin private CommandMessages messages;

  @Option(
      names = "--workers",
      paramLabel = "URL",
      arity = "1..*",
      split = ",",
      description = "The servers: http://HOST:PORT, or HOST:PORT.")
  private List<String> workers = new ArrayList<>();

  @Option(
      names = "--workers-file",
      paramLabel = "FILE",
      description =
          "More of them: an address in each line, or a list in JSON of {\"url\", \"id\","
              + " \"model_id\", \"priority\", \"cost\", \"labels\"}.")
  private @Nullable Path workersFile;

  @Option(
      names = "--policy",
      paramLabel = "SPEC",
      description =
          "What chooses a server, as in cache-aware(threshold=0.3); --list-policies says which"
              + " there are (${DEFAULT-VALUE}).")
  private String policy = "cache-aware";

  @Option(names = "--list-policies", description = "Print the policies there are, and stop.")
  private boolean listsPolicies;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of what policies draw at random (${DEFAULT-VALUE}).")
  private long seed = 1;

  @ArgGroup(validate = false, heading = "%nHTTP:%n")
  private RouteHttpOptions http = new RouteHttpOptions();

  @ArgGroup(validate = false, heading = "%nResilience:%n")
  private ResilienceOptions resilience = new ResilienceOptions();

  @ArgGroup(validate = false, heading = "%nKV caches of the workers:%n")
  private CacheChoice caches = new CacheChoice();

  @ArgGroup(validate = false, heading = "%nStep times of the workers:%n")
  private StepTimeOptions stepTimes = new StepTimeOptions();

  @ArgGroup(validate = false, heading = "%nWatching:%n")
  private RouteWatchOptions watching = new RouteWatchOptions();

  @ArgGroup(validate = false, heading = "%nFiles:%n")
  private DecisionFileOptions decisions = new DecisionFileOptions();

  @Override
  public Integer call() throws IOException {
    final RoutingPolicies policies =
        new RoutingPolicies(Thread.currentThread().getContextClassLoader());
    if (listsPolicies) {
      policies
          .descriptions()
          .forEach((name, text) -> messages.print("%-20s %s%n".formatted(name, text)));
      return ExitCode.OK;
    }
    try {
      final CacheOptions known = caches.options();
      final RoutingContext context =
          new RoutingContext(Map.of(), seed, known.index(), stepTimes.predictor());
      final RoutingPolicy chosen = policies.create(policy, context);
      final Router router = start(chosen, known);
      UntilStopped.await(
          "headway-route-shutdown",
          () -> stop(router),
          () -> messages.print(startUp(router, chosen)));
      return ExitCode.OK;
    } catch (IllegalArgumentException e) {
      throw messages.wrong(String.valueOf(e.getMessage()));
    }
  }

  private Router start(RoutingPolicy chosen, CacheOptions known) throws IOException {
    options(attempt -> {}, RequestTracer.NONE, known); // before a file is made
    try {
      final RequestTracer tracer = watching.open();
      final AttemptListener attempts = decisions.open();
      return Router.start(options(attempts, tracer, known), chosen, new SystemNanoClock());
    } catch (IOException | IllegalArgumentException e) {
      closeFiles();
      throw e;
    }
  }

  private RouterOptions options(AttemptListener attempts, RequestTracer tracer, CacheOptions known)
      throws IOException {
    final List<WorkerEntry> entries = new ArrayList<>();
    for (String each : workers) {
      entries.add(WorkerEntry.of(each));
    }
    if (workersFile != null) {
      entries.addAll(WorkerJson.readFile(workersFile));
    }
    if (entries.isEmpty() && http.controlKeys().isEmpty()) {
      throw new IllegalArgumentException(
          "name the servers with --workers or --workers-file, or let them be added with"
              + " --control-key");
    }
    return new RouterOptions(
        http.address(),
        http.threads,
        entries,
        http.proxy(resilience.retry()),
        resilience.admission(),
        resilience.breakers(),
        resilience.health(http.checkKey()),
        http.controlKeys(),
        attempts,
        tracer,
        known);
  }

  private String startUp(Router router, RoutingPolicy chosen) {
    final String address = ListenOptions.url(router.address(), http.tls());
    final StringBuilder text = new StringBuilder();
    text.append("\n  Headway routes ").append(address).append("/v1\n\n");
    router
        .workers()
        .backends()
        .forEach(
            each ->
                text.append("  worker    ")
                    .append(each.entry().id())
                    .append("  ")
                    .append(each.entry().url())
                    .append('\n'));
    text.append("  policy    ").append(chosen.name()).append('\n');
    text.append(caches.describe());
    text.append("  threads   ").append(http.threads).append('\n');
    text.append("  also      /health, /metrics, /workers");
    text.append(http.controlKeys().isEmpty() ? " (read only)\n" : "\n");
    text.append(decisions.describe());
    if (watching.described() != null) {
      text.append("  probe     ").append(watching.described()).append('\n');
    }
    return text.append('\n').toString();
  }

  private void stop(Router router) {
    final Duration longest = Duration.ofSeconds(http.drainTimeoutSeconds);
    messages.print(
        "\n  draining: requests under way="
            + router.underWay()
            + ", up to "
            + longest.toSeconds()
            + " s (a second Ctrl-C does nothing; kill -9 "
            + ProcessHandle.current().pid()
            + " ends it at once)\n");
    try {
      router.drain(longest);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      router.close();
      closeFiles();
    }
    messages.print("  stopped\n");
  }

  private void closeFiles() {
    watching.close(messages);
    decisions.close(messages);
  }
}
