package dev.headway.faultsim.simulation;

/**
 * A rule that did not hold.
 *
 * @param rule the rule
 * @param step the step of the scenario after which it was noticed, from 0
 * @param message what must hold, with the figures that did not
 */
public record Violation(Rule rule, int step, String message) {}
