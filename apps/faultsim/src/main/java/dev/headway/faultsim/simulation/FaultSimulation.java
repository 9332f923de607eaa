package dev.headway.faultsim.simulation;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.Policies;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runs scenarios against the engines of a maker. One thread at a time; several simulations may run
 * side by side.
 */
public final class FaultSimulation {

  private static final int MOST_ATTEMPTS = 60;

  private final EngineMaker maker;
  private final Coverage coverage = new Coverage();

  /** Makes a simulation. */
  public FaultSimulation(EngineMaker maker) {
    this.maker = maker;
  }

  /** What all scenarios so far have reached. */
  public Coverage coverage() {
    return coverage;
  }

  /** Runs a scenario to its end, or to the first rule that does not hold. */
  public Outcome run(Scenario scenario) {
    final Set<Feature> on = scenario.turnedOn();
    for (int attempt = 0; ; attempt++) {
      try {
        final Drawn drawn = draw(scenario.seed(), attempt, on);
        final World world = new World(scenario, drawn, maker, List.of(), coverage);
        coverage.scenario(drawn.features());
        world.run();
        final Violation broken = world.violation();
        final String differs = maker.checkRecord();
        return new Outcome(
            scenario,
            broken == null && differs != null
                ? new Violation(Rule.RECORDED, scenario.steps() - 1, differs)
                : broken,
            world.digest(),
            drawn.toString());
      } catch (IllegalArgumentException refused) {
        coverage.refusedSettings++;
        if (attempt > MOST_ATTEMPTS) {
          throw new IllegalStateException(
              "settings must be found that an engine takes: "
                  + scenario.arguments()
                  + ", features="
                  + on,
              refused);
        }
      }
    }
  }

  /**
   * Runs the scenario of an outcome again.
   *
   * @return a violation of {@link Rule#SAME_AGAIN} if anything is different; else {@code outcome}
   */
  public Outcome runAgain(Outcome outcome) {
    final Outcome again = run(outcome.scenario());
    if (again.digest().equals(outcome.digest()) && again.held() == outcome.held()) {
      return outcome;
    }
    return new Outcome(
        outcome.scenario(),
        new Violation(
            Rule.SAME_AGAIN,
            outcome.scenario().steps() - 1,
            "a scenario must do the same again: sha256="
                + outcome.digest()
                + ", again="
                + again.digest()),
        outcome.digest(),
        outcome.settings());
  }

  /** Draws settings; the later the attempt, the fewer of them. */
  private static Drawn draw(long seed, int attempt, Set<Feature> on) {
    final Set<Feature> used = on.isEmpty() ? EnumSet.noneOf(Feature.class) : EnumSet.copyOf(on);
    if (attempt > MOST_ATTEMPTS / 2) {
      final Dice dice = new Dice().start(seed, "left out", attempt);
      used.removeIf(
          feature ->
              (feature.kind() == Feature.Kind.SETTING || feature.kind() == Feature.Kind.POLICY)
                  && dice.below(MOST_ATTEMPTS) < attempt);
    }
    final SettingsDraw settings = new SettingsDraw(seed, attempt, used);
    final SchedulerConfig config = settings.config();
    final KvCacheShape kvCache = settings.kvCache(config);
    final PolicyDraw policies = new PolicyDraw(seed, used);
    final Map<String, Map<String, String>> names = policies.named();
    final Policies ofUser = policies.ofUser();
    return new Drawn(
        used,
        config,
        kvCache,
        names,
        ofUser,
        policies.text(),
        used.contains(Feature.SHORT_INTAKE) ? 3 : 1_000,
        used.contains(Feature.STOP_ON_FAILURE));
  }
}
