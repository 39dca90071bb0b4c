//! The cues by name. What each sounds like is in `cues/`; what triggers it, and its caption, in `crate::cues`.

/// Makes [`Cue`] from the table.
macro_rules! cues {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal;)+) => {
        /// A short sound. The order is stable: the web page numbers cues.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Cue {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Cue {
            /// Every cue, in order.
            pub const ALL: &'static [Cue] = &[$(Cue::$variant,)+];

            /// The stable name, for files.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Cue::$variant => $name,)+
                }
            }
        }
    };
}

cues! {
    /// A ship fires.
    Shot = "shot";
    /// A ship fires the straight laser.
    RedLaser = "red_laser";
    /// A ship fires the laser that reflects.
    BlueLaser = "blue_laser";
    /// A ship fires the laser that crawls.
    YellowLaser = "yellow_laser";
    /// A missile leaves a ship.
    Missile = "missile";
    /// A beam that was hardly charged leaves a ship.
    BeamSmall = "beam_small";
    /// A charged beam leaves a ship.
    BeamLarge = "beam_large";
    /// A beam that was fully charged leaves a ship.
    BeamFull = "beam_full";
    /// The beam gauge fills; it can be repeated without a seam, and its pitch rises with the charge.
    ChargeHum = "charge_hum";
    /// The beam gauge is full.
    ChargeFull = "charge_full";

    /// A machine was hit but not destroyed.
    HitMetal = "hit_metal";
    /// Something alive was hit.
    HitFlesh = "hit_flesh";
    /// A block or wreckage was hit.
    HitRock = "hit_rock";
    /// Something was hit that nothing hurts.
    HitArmour = "hit_armour";
    /// A boss's open weak point was hit.
    HitCore = "hit_core";

    /// An enemy fires.
    EnemyShot = "enemy_shot";
    /// An enemy drops a bomb.
    EnemyBomb = "enemy_bomb";
    /// A boss fires something heavy.
    EnemyLance = "enemy_lance";
    /// An enemy shot passes close to the player's ship.
    NearMiss = "near_miss";

    /// A small machine explodes.
    ExplosionSmall = "explosion_small";
    /// A large machine explodes.
    ExplosionLarge = "explosion_large";
    /// Something small and alive bursts.
    BurstSmall = "burst_small";
    /// Something large and alive bursts.
    BurstLarge = "burst_large";
    /// A block or wreckage breaks up.
    Crumble = "crumble";

    /// A boss appears.
    Warning = "warning";
    /// A boss begins to fight differently.
    BossPhase = "boss_phase";
    /// A boss's weak point opens.
    CoreOpens = "core_opens";
    /// A boss's weak point closes.
    CoreCloses = "core_closes";
    /// A part of a boss breaks off.
    PartBreaks = "part_breaks";
    /// A boss is destroyed.
    BossDestroyed = "boss_destroyed";
    /// A wall of the terrain begins to move.
    Gate = "gate";

    /// A ship takes the red crystal.
    ItemRed = "item_red";
    /// A ship takes the blue crystal.
    ItemBlue = "item_blue";
    /// A ship takes the yellow crystal.
    ItemYellow = "item_yellow";
    /// A ship takes missiles.
    ItemMissiles = "item_missiles";
    /// A ship takes a Bit.
    ItemBit = "item_bit";
    /// A ship takes a speed-up.
    ItemSpeed = "item_speed";
    /// The Force docks at a ship.
    ForceDock = "force_dock";
    /// The Force leaves.
    ForceLaunch = "force_launch";
    /// The Force is called back.
    ForceRecall = "force_recall";

    /// A ship is lost.
    Death = "death";
    /// The ship of somebody else is lost.
    AllyLost = "ally_lost";
    /// A ship comes back.
    Return = "return";
    /// A player gets another life.
    ExtraLife = "extra_life";
    /// The player's chain multiplies by more.
    ChainUp = "chain_up";
    /// The player's chain ends.
    ChainLost = "chain_lost";

    /// A stage begins.
    StageStart = "stage_start";
    /// The next checkpoint is reached.
    Checkpoint = "checkpoint";
    /// The next wave begins.
    Wave = "wave";
    /// The stage is won.
    StageClear = "stage_clear";
    /// The rank of a stage is shown.
    Rank = "rank";
    /// All lives are gone.
    GameOver = "game_over";

    /// Another line of a menu is selected.
    MenuMove = "menu_move";
    /// A line of a menu is chosen.
    MenuChoose = "menu_choose";
    /// A menu is left.
    MenuBack = "menu_back";
    /// A player joins.
    Join = "join";
    /// A player leaves.
    Leave = "leave";
    /// A chat message arrives.
    Chat = "chat";
    /// The game is paused.
    Pause = "pause";
    /// The game goes on.
    Resume = "resume";
}

impl Cue {
    /// Whether it is to be repeated.
    pub const fn is_loop(self) -> bool {
        matches!(self, Cue::ChargeHum)
    }

    /// Whether it is heard many times a minute, and must be heard above the music every time.
    pub const fn is_frequent(self) -> bool {
        matches!(
            self,
            Cue::Shot
                | Cue::RedLaser
                | Cue::BlueLaser
                | Cue::YellowLaser
                | Cue::Missile
                | Cue::BeamSmall
                | Cue::BeamLarge
                | Cue::BeamFull
                | Cue::HitMetal
                | Cue::HitFlesh
                | Cue::HitRock
                | Cue::HitArmour
                | Cue::HitCore
                | Cue::ExplosionSmall
                | Cue::ExplosionLarge
                | Cue::BurstSmall
                | Cue::BurstLarge
                | Cue::Crumble
                | Cue::EnemyShot
                | Cue::EnemyBomb
        )
    }

    /// For how many ticks the music steps back behind it; 0 for most.
    pub const fn ducks_ticks(self) -> u32 {
        match self {
            Cue::Warning | Cue::StageClear | Cue::GameOver => 150,
            Cue::BossDestroyed => 180,
            Cue::Death => 60,
            Cue::ExtraLife | Cue::Rank | Cue::StageStart => 50,
            Cue::BossPhase | Cue::PartBreaks | Cue::BeamFull => 30,
            Cue::Shot | Cue::RedLaser | Cue::BlueLaser | Cue::YellowLaser | Cue::Missile => 0,
            Cue::BeamSmall | Cue::BeamLarge | Cue::ChargeHum | Cue::ChargeFull | Cue::HitMetal => 0,
            Cue::HitFlesh | Cue::HitRock | Cue::HitArmour | Cue::HitCore | Cue::EnemyShot => 0,
            Cue::EnemyBomb | Cue::EnemyLance | Cue::NearMiss | Cue::ExplosionSmall | Cue::ExplosionLarge => 0,
            Cue::BurstSmall | Cue::BurstLarge | Cue::Crumble | Cue::CoreOpens | Cue::CoreCloses => 0,
            Cue::Gate | Cue::ItemRed | Cue::ItemBlue | Cue::ItemYellow | Cue::ItemMissiles => 0,
            Cue::ItemBit | Cue::ItemSpeed | Cue::ForceDock | Cue::ForceLaunch | Cue::ForceRecall => 0,
            Cue::AllyLost | Cue::Return | Cue::ChainUp | Cue::ChainLost | Cue::Checkpoint => 0,
            Cue::Wave | Cue::MenuMove | Cue::MenuChoose | Cue::MenuBack | Cue::Join => 0,
            Cue::Leave | Cue::Chat | Cue::Pause | Cue::Resume => 0,
        }
    }
}
