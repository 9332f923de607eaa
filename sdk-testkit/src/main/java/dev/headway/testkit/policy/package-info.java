/**
 * Tests that any policy should pass, to be run from a user's own tests; no test framework needed.
 *
 * <pre>{@code
 * PolicyContract.of(() -> Policies.builder().victim(new MyVictim()).build()).check().verify();
 * }</pre>
 *
 * <p>Read {@link dev.headway.testkit.policy.PolicyContract}. {@code FakeRequest}, {@code
 * SampleStep}, {@code SampleCandidates} and {@code FakePlan} are the views in memory that the
 * checks run on; tests of single policies can use them too. The checks that need a course of events
 * run on {@code MiniScheduler}, a scheduler of a few hundred lines without a cache.
 */
@NullMarked
package dev.headway.testkit.policy;

import org.jspecify.annotations.NullMarked;
