package dev.headway.testkit.policy;

import dev.headway.api.policy.Policies;
import java.util.function.Supplier;

/** One clause of the contract. */
interface Check {

  /** What must hold, in a few words. */
  String name();

  /** Looks for violations on what {@code seed} draws. */
  void run(Supplier<Policies> policies, long seed, Findings findings);
}
