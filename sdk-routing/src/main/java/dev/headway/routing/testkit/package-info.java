/** The contract of a routing policy, for your own tests. Needs JUnit 5, which it does not bring. */
@NullMarked
package dev.headway.routing.testkit;

import org.jspecify.annotations.NullMarked;
