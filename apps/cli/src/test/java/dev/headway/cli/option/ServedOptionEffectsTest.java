package dev.headway.cli.option;

import java.util.Set;

/** Servers, and their clients, which wait for each other. */
class ServedOptionEffectsTest extends OptionEffects {

  static final Set<String> COMMANDS = Set.of("serve", "route", "bench");

  ServedOptionEffectsTest() {
    super(COMMANDS::contains);
  }
}
