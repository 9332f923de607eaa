/**
 * {@code headway plan}: which machine to rent for a load. The options become a {@link
 * dev.headway.cli.plan.PlanGrid}, that the simulation's plan runs, and the result is text, CSV and
 * a page.
 */
@NullMarked
package dev.headway.cli.plan;

import org.jspecify.annotations.NullMarked;
