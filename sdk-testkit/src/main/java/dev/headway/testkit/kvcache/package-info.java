/** KV blocks in slower tiers: for now the rules that whoever moves them must keep. */
@NullMarked
package dev.headway.testkit.kvcache;

import org.jspecify.annotations.NullMarked;
